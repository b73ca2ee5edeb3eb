//! Finding anything by name: resources, directories, packages and items, the best match first. Fuzzy, on a desk of its
//! own, over names that are gathered once and again when one of the parts was read anew. The desk also lists what was
//! written, since the one that writes may be at it.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::desk::Clerk;
use super::lookout::FileId;
use super::{Shared, selection, written};
use crate::contracts::State;
use crate::explorer::model::{Effect, Entry, ItemSubject, Mark, Msg, Subject};
use crate::resources::Registry;

/// How many things are listed.
const LISTED: usize = 200;
/// How many resources are looked at. Of more, only those whose names contain the longest word of what is searched for.
const RESOURCES: u32 = 50_000;

/// Finds things.
#[derive(Debug)]
pub struct Finder {
    shared: Arc<Shared>,
    registry: Option<Registry>,
    file: Option<FileId>,
}

impl Finder {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Finder {
        Finder { shared, registry: None, file: None }
    }

    fn find(&mut self, text: &str) -> Vec<Entry> {
        let mut things: Vec<Entry> = Vec::new();
        let layer = self.shared.layer();
        let index = &layer.index;
        for folder in index.preorder().filter(|folder| index.standing(*folder).listed) {
            let path = index.path(folder).text().into_owned();
            let mark = match index.standing(folder).state {
                State::Documented => Mark::Documented,
                State::Exempt => Mark::Exempt,
                State::Owed => Mark::Owed,
            };
            things.push(Entry::new(Subject::Directory(path.clone()), mark, path, "directory"));
        }
        if let Some(read) = Shared::held(&self.shared.selected).clone() {
            let (_, selected) = &*read;
            let graph = selected.graph();
            for package in graph.packages() {
                let Some(key) = graph.name(package) else { continue };
                let subject = Subject::Package(key.to_string());
                things.push(Entry::new(subject, Mark::Package, key.to_string(), "package"));
            }
            for (id, item) in graph.items() {
                let package = graph.name(item.package).map(ToString::to_string).unwrap_or_default();
                let mark = selection::mark(selected, id);
                let note = format!("{} of {}", item.kind, graph.spoken(item.package));
                let (kind, slug) = (item.kind.name().to_owned(), item.slug.to_string());
                let subject = Subject::Item(Box::new(ItemSubject { package, kind, slug }));
                things.push(Entry::new(subject, mark, item.slug.to_string(), note));
            }
        }
        things.extend(self.resources(text));
        best(things, text)
    }

    /// The resources that may be meant.
    fn resources(&mut self, text: &str) -> Vec<Entry> {
        let file = self.shared.workspace.registry_file();
        let id = FileId::of(&file);
        if id != self.file || self.registry.as_ref().is_none_or(Registry::is_missing) {
            self.file = id;
            self.registry = Registry::open_to_read(&file, Duration::from_secs(1)).ok();
        }
        let found = self.registry.as_ref().and_then(|registry| {
            let many = registry.has_more_than(RESOURCES).ok()?;
            let word = text.split_whitespace().max_by_key(|word| word.len()).filter(|_| many);
            registry.search(word.unwrap_or_default(), RESOURCES as usize).ok()
        });
        let entry = |node: crate::resources::Node| {
            let resource = node.resource;
            let subject = Subject::Resource(resource.id.as_str().to_owned());
            Entry::new(subject, Mark::None, resource.label(), resource.type_name)
        };
        found.unwrap_or_default().into_iter().map(entry).collect()
    }
}

/// The things whose names match best.
fn best(things: Vec<Entry>, text: &str) -> Vec<Entry> {
    let pattern = Pattern::parse(text, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, Entry)> = things
        .into_iter()
        .filter_map(|entry| Some((pattern.score(Utf32Str::new(&entry.name, &mut buffer), &mut matcher)?, entry)))
        .collect();
    // equal scores: the shorter name is the likelier one
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.len().cmp(&b.1.name.len())));
    scored.into_iter().take(LISTED).map(|(_, entry)| entry).collect()
}

impl Clerk for Finder {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let sent = match job {
            Effect::Find { generation, text } => sender.send(Msg::Found { generation, found: self.find(&text) }),
            Effect::History => sender.send(Msg::History(written::list(&self.shared))),
            _ => Ok(()),
        };
        // the explorer may have ended; then there is nobody to tell
        let _ = sent;
    }
}

#[cfg(test)]
mod tests {
    use super::super::share;
    use super::*;
    use crate::explorer::model::Keymap;
    use crate::resources::NewResource;
    use crate::workspace::{Options, Workspace};

    #[test]
    fn a_registry_that_replaces_another_is_the_one_that_is_searched() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = |name: &str| {
            let registry = Some(dir.path().join(name));
            let options = Options { directory: Some(dir.path().to_owned()), registry, ..Options::default() };
            Workspace::find(options).unwrap()
        };
        let made = |name: &str| {
            let workspace = workspace("new.db");
            let name = Some(name.to_owned());
            let new = NewResource { type_name: "fs-directory".into(), name, ..NewResource::default() };
            workspace.registry_to_write().unwrap().add(new).unwrap();
            workspace.registry_file()
        };
        let file = dir.path().join("registry.db");
        let mut finder = Finder::new(share(workspace("registry.db"), Keymap::default()));
        let mut found = || finder.find("").into_iter().map(|entry| entry.name).collect::<Vec<_>>();
        assert!(found().is_empty());
        for name in ["first", "second", "third"] {
            std::fs::rename(made(name), &file).unwrap();
            assert_eq!(found(), [name]);
        }
        std::fs::remove_file(&file).unwrap();
        assert!(found().is_empty());
    }

    fn names(text: &str) -> Vec<String> {
        let thing = |name: &str| Entry::new(Subject::Group(name.into()), Mark::None, name, "");
        let things = [".ai/repo/rules", ".ai/repo/rules/project", "reviewer", "local/atlas"].map(thing);
        best(things.to_vec(), text).into_iter().map(|entry| entry.name.into()).collect()
    }

    #[test]
    fn letters_in_order_find_and_the_nearest_comes_first() {
        assert_eq!(names("rules")[0], ".ai/repo/rules");
        assert_eq!(names("rlprj"), [".ai/repo/rules/project"]);
        assert!(names("zzz").is_empty());
        assert_eq!(names("").len(), 4);
    }
}
