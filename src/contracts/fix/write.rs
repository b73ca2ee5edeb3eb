//! The way `write`: a valid README.md for each directory, from the top down, so that ids build on each other.

use std::collections::{HashMap, HashSet};

use super::super::boilerplate;
use super::super::document::{self, Head, README};
use super::super::error::Error;
use super::super::front_matter::{double_quoted, scalar};
use super::super::index::Index;
use super::super::layer::{Layer, Source};
use super::super::model::{Document, RepoPath, Scope, parent_of};
use super::super::resolve::{directory, normalise};
use super::super::schema::{KIND, SCHEMA, is_id};
use super::super::tree::{FolderId, in_preorder};
use super::{FixPlan, Form, Left, Targets, Wishes, broken_in, ids, preview};
use crate::edit::FileEdit;

/// The best guesses for the contract of a directory; the ids of documents that exist are taken into account.
///
/// # Errors
/// [`Error::Path`] and [`Error::NotFound`].
pub fn form(layer: &Layer, directory: &str) -> Result<Form, Error> {
    let folder = target(layer, directory)?;
    Ok(Guesses::new(&layer.index).form(&folder))
}

pub(super) fn plan(layer: &Layer, targets: &Targets, wishes: &Wishes) -> Result<FixPlan, Error> {
    let (mut folders, left) = match targets {
        Targets::AllOwed => all_owed(layer),
        Targets::These(paths) => {
            let folders = paths.iter().map(|path| free(layer, path)).collect::<Result<Vec<_>, _>>()?;
            (folders, Vec::new())
        }
    };
    folders.sort_by(|a, b| in_preorder(a.as_bytes(), b.as_bytes()));
    folders.dedup();
    if folders.len() > 1 && (wishes.id.is_some() || wishes.title.is_some()) {
        let (what, value) = match (&wishes.id, &wishes.title) {
            (Some(id), _) => ("id", id.clone()),
            (_, title) => ("title", title.clone().unwrap_or_default()),
        };
        let expected = "several directories cannot share it; fix them one by one, or leave it out".to_owned();
        return Err(Error::Value { what, value, expected });
    }
    let mut guesses = Guesses::new(&layer.index);
    let (mut edits, mut documents) = (Vec::new(), Vec::new());
    for folder in &folders {
        let form = wished(&mut guesses, folder, wishes)?;
        let path = folder.join(README);
        let text = text(folder, &form);
        let mut document = made(&path, &text)?;
        document.new = layer.source == Source::Git;
        guesses.take(folder, form.id);
        edits.push(FileEdit::create(layer.place.on_disk(&path), text));
        documents.push(document);
    }
    let label = match &folders[..] {
        [one] => format!("fix {one}"),
        many => format!("fix {} directories", many.len()),
    };
    Ok(preview(layer, label, edits, with(&layer.index, documents), left))
}

/// The owed directories that can be written, and those that cannot.
fn all_owed(layer: &Layer) -> (Vec<RepoPath>, Vec<Left>) {
    use super::super::model::State;
    let index = &layer.index;
    // a link or folder named README.md is in the way
    let refused: HashSet<&str> =
        index.notes.iter().filter(|note| note.code == "refused-path").map(|note| note.path.as_str()).collect();
    let (mut folders, mut left) = (Vec::new(), Vec::new());
    for folder in index.directories().filter(|folder| index.standing(*folder).state == State::Owed) {
        let path = index.path(folder);
        let readme = path.join(README);
        let why = match broken_in(index, folder) {
            Some(document) => Some(format!("{} is there and broken", document.path)),
            None if refused.contains(&*readme.text()) => Some(format!("{readme} is no plain file")),
            None => None,
        };
        match why {
            Some(why) => left.push(Left { path: path.clone(), why }),
            None => folders.push(path.clone()),
        }
    }
    (folders, left)
}

/// The directory a path names, which may also be the root of a layer that is to begin.
fn target(layer: &Layer, path: &str) -> Result<RepoPath, Error> {
    let index = &layer.index;
    match directory(index, path) {
        Ok(folder) => Ok(index.path(folder).clone()),
        Err(error @ Error::NotFound { .. }) => {
            let normal = normalise(path)?;
            match index.find(normal.as_bytes()) {
                // nothing in it counts, so whatever is there is broken
                Some(folder) => Err(broken(index, folder).unwrap_or(error)),
                None if normal.as_bytes() == index.root().as_bytes() => Ok(index.root().clone()),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// The directory a path names, when a contract may be written in it.
fn free(layer: &Layer, path: &str) -> Result<RepoPath, Error> {
    let index = &layer.index;
    let target = target(layer, path)?;
    if let Some(folder) = index.find(target.as_bytes()) {
        if let Some(error) = broken(index, folder) {
            return Err(error);
        }
        if let Some((id, _)) = index.contract_of(folder) {
            let advice = format!("its contract is {}", index.document(id).path);
            return Err(Error::NothingOwed { path: target.text().into_owned(), state: "documented", advice });
        }
    }
    Ok(target)
}

fn broken(index: &Index, folder: FolderId) -> Option<Error> {
    broken_in(index, folder).map(|document| Error::Broken { file: document.path.clone() })
}

/// The index with more documents.
fn with(index: &Index, more: Vec<Document>) -> Index {
    let all = index.documents().map(|id| index.document(id).as_ref().clone());
    let folders = index.preorder().map(|folder| (index.path(folder).clone(), index.plain(folder)));
    let mut next = Index::new(index.root().clone(), folders, all.chain(more).collect());
    next.notes.clone_from(&index.notes);
    next.submodules.clone_from(&index.submodules);
    next
}

/// What is known about ids while contracts are planned.
pub(super) struct Guesses<'a> {
    index: &'a Index,
    taken: HashSet<String>,
    planned: HashMap<RepoPath, String>,
    /// The next number to try for an id that is taken.
    numbers: HashMap<String, u64>,
}

impl<'a> Guesses<'a> {
    pub(super) fn new(index: &'a Index) -> Guesses<'a> {
        Guesses { index, taken: ids(index), planned: HashMap::new(), numbers: HashMap::new() }
    }

    pub(super) fn is_taken(&self, id: &str) -> bool {
        self.taken.contains(id)
    }

    /// The document that has an id.
    fn holder(&self, id: &str) -> Option<RepoPath> {
        let document = |document: &Document| document.contract.as_ref().is_ok_and(|contract| contract.id == *id);
        let mut documents = self.index.documents().map(|at| self.index.document(at));
        let there = documents.find(|it| document(it)).map(|document| document.path.clone());
        there.or_else(|| self.planned.iter().find(|(_, planned)| *planned == id).map(|(folder, _)| folder.join(README)))
    }

    fn take(&mut self, folder: &RepoPath, id: String) {
        self.taken.insert(id.clone());
        self.planned.insert(folder.clone(), id);
    }

    pub(super) fn form(&mut self, folder: &RepoPath) -> Form {
        Form {
            id: self.id(folder),
            title: boilerplate::title(&folder.text()),
            description: boilerplate::description(&folder.text()),
            scope: Scope::Subtree,
            order: 100,
        }
    }

    /// The id of the nearest contract above with the folder's name, made unique.
    fn id(&mut self, folder: &RepoPath) -> String {
        let base = match self.above(folder) {
            Some(above) => format!("{above}.{}", slug(&folder.name())),
            None if folder == self.index.root() => "ai.layer".to_owned(),
            None => dotted(folder),
        };
        if !self.taken.contains(&base) {
            return base;
        }
        let next = self.numbers.entry(base.clone()).or_insert(2);
        loop {
            let id = format!("{base}-{next}");
            *next += 1;
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }

    fn above(&self, folder: &RepoPath) -> Option<&str> {
        let mut at = folder.as_bytes();
        loop {
            at = parent_of(at)?;
            if let Some(id) = self.planned.get(at) {
                return Some(id);
            }
            let contract = self.index.find(at).and_then(|folder| self.index.contract_of(folder));
            if let Some((_, contract)) = contract {
                return Some(&contract.id);
            }
        }
    }
}

fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    name.to_lowercase().chars().map(plain).collect()
}

/// The path with dots between its segments, in the form of an id.
fn dotted(folder: &RepoPath) -> String {
    let text = folder.text();
    let dotted = text.split('/').map(slug).collect::<Vec<_>>().join(".");
    let dotted = dotted.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    if is_id(dotted) { dotted.to_owned() } else { "ai.layer".to_owned() }
}

/// The guesses with what a person wants instead.
fn wished(guesses: &mut Guesses<'_>, folder: &RepoPath, wishes: &Wishes) -> Result<Form, Error> {
    let mut form = guesses.form(folder);
    if let Some(id) = &wishes.id {
        let refused = |expected: &str| Error::Value { what: "id", value: id.clone(), expected: expected.to_owned() };
        if !is_id(id) {
            return Err(refused("lower-case words with dots between, as `ai.repo.rules`"));
        }
        if let Some(file) = guesses.holder(id) {
            return Err(Error::IdTaken { id: id.clone(), file });
        }
        form.id.clone_from(id);
    }
    for (what, wish, value) in
        [("title", &wishes.title, &mut form.title), ("description", &wishes.description, &mut form.description)]
    {
        if let Some(wish) = wish {
            if wish.trim().is_empty() || wish.contains(['\n', '\r']) {
                return Err(Error::Value { what, value: wish.clone(), expected: "one line of text".to_owned() });
            }
            value.clone_from(wish);
        }
    }
    form.scope = wishes.scope.unwrap_or(form.scope);
    form.order = wishes.order.unwrap_or(form.order);
    Ok(form)
}

/// The text of a new contract.
fn text(folder: &RepoPath, form: &Form) -> String {
    header(folder, form) + &boilerplate::body(&form.title)
}

/// The block of a new contract, with its fences.
pub(super) fn header(folder: &RepoPath, form: &Form) -> String {
    let Form { id, title, description, scope, order } = form;
    let paths = match scope {
        Scope::Explicit => format!("paths: [{}]\n", double_quoted(&folder.text())),
        _ => String::new(),
    };
    format!(
        "---\nschema: {SCHEMA}\nid: {id}\nkind: {KIND}\ntitle: {}\ndescription: {}\nstatus: active\nscope: {scope}\n\
         providers: [\"*\"]\naudience: [human, agent]\ncomposition: extend\norder: {order}\n{paths}---\n",
        scalar(title),
        scalar(description),
    )
}

/// The document that a new text is read as. It must be sound, and say nothing to warn of.
fn made(path: &RepoPath, text: &str) -> Result<Document, Error> {
    let read = document::read(path, Head::from(text.as_bytes()));
    let why = match read {
        Some(document) if document.contract.is_ok() && document.findings.is_empty() => return Ok(document),
        Some(document) => document.findings.first().map(|finding| finding.message.clone()),
        None => None,
    };
    Err(Error::Uneditable { file: path.clone(), line: None, why: why.unwrap_or_default() })
}
