//! The ways `exempt` and `lift`: edits of a contract above, so that nothing is owed below.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::edit_block::{Change, changed};
use super::super::error::Error;
use super::super::explain::{exempting, may_lift, subtree_above};
use super::super::index::{DocumentId, Index};
use super::super::layer::Layer;
use super::super::model::{Document, RepoPath, State};
use super::super::resolve::directory;
use super::super::tree::FolderId;
use super::{FixPlan, Left, Targets, Way, preview};
use crate::edit::{self, FileEdit};

pub(super) fn plan(layer: &Layer, targets: &Targets, way: Way) -> Result<FixPlan, Error> {
    let index = &layer.index;
    let (folders, mut left) = (owed(index, targets)?, Vec::new());
    let mut changes: BTreeMap<DocumentId, Vec<String>> = BTreeMap::new();
    for folder in folders {
        match place(index, folder, way) {
            Ok(place) => changes.entry(place).or_default().push(text(index.path(folder))?),
            Err(error) if *targets == Targets::AllOwed => {
                left.push(Left { path: index.path(folder).clone(), why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    let label = match (&changes.values().flatten().collect::<Vec<_>>()[..], way) {
        ([one], Way::Lift) => format!("lift the requirement for {one}"),
        (many, Way::Lift) => format!("lift the requirement for {} directories", many.len()),
        ([one], _) => format!("exempt {one}"),
        (many, _) => format!("exempt {} directories", many.len()),
    };
    let changes = changes.into_iter().map(|(id, paths)| match way {
        Way::Lift => (id, Change::Require(false)),
        _ => (id, Change::Exempt(paths)),
    });
    let (edits, documents) = edited(layer, changes)?;
    Ok(preview(layer, label, edits, replaced(index, documents), left))
}

/// The directories to settle, each owed; of one and another below it only the upper.
fn owed(index: &Index, targets: &Targets) -> Result<Vec<FolderId>, Error> {
    let mut folders = match targets {
        Targets::AllOwed => index
            .preorder()
            .filter(|id| index.standing(*id).listed && index.standing(*id).state == State::Owed)
            .collect(),
        Targets::These(paths) => {
            let folders: Vec<FolderId> = paths.iter().map(|path| directory(index, path)).collect::<Result<_, _>>()?;
            for folder in &folders {
                let state = index.standing(*folder).state;
                if state != State::Owed {
                    let advice = "it owes nothing".to_owned();
                    let path = index.path(*folder).text().into_owned();
                    return Err(Error::NothingOwed { path, state: state.word(), advice });
                }
            }
            folders
        }
    };
    folders.sort_unstable();
    let mut upper: Vec<FolderId> = Vec::new();
    for folder in folders {
        let path = index.path(folder).as_bytes();
        if upper.last().is_none_or(|above| !index.path(*above).covers(path)) {
            upper.push(folder);
        }
    }
    Ok(upper)
}

/// The contract to edit for a directory.
fn place(index: &Index, folder: FolderId, way: Way) -> Result<DocumentId, Error> {
    let none_above = || Error::NoContractAbove { path: index.path(folder).text().into_owned() };
    if way != Way::Lift {
        return exempting(index, folder).ok_or_else(none_above);
    }
    let nearest = subtree_above(index, folder).next().ok_or_else(none_above)?;
    let home = index.home(nearest);
    if may_lift(index, home) {
        return Ok(nearest);
    }
    let above = index.parent(home).and_then(|parent| index.standing(parent).governed_by);
    let by = above.map(|by| index.document(by).path.to_string()).unwrap_or_default();
    let file = index.document(nearest).path.clone();
    let why = format!("{file} may not lift what {by} requires above it; exempt the directory in {by} instead");
    Err(Error::IllegalOverride { file, why })
}

/// Whether there is a contract that could be edited for a directory, whatever else may be against it.
pub(super) fn has_contract_above(index: &Index, path: &str, way: Way) -> bool {
    let place = directory(index, path).and_then(|folder| place(index, folder, way));
    !matches!(place, Err(Error::NoContractAbove { .. } | Error::NotFound { .. }))
}

fn text(path: &RepoPath) -> Result<String, Error> {
    std::str::from_utf8(path.as_bytes()).map(str::to_owned).map_err(|_| Error::Uneditable {
        file: path.clone(),
        line: None,
        why: "its name is not UTF-8, so no front matter can hold it".to_owned(),
    })
}

/// The edits of these documents, and the documents they make.
pub(super) fn edited(
    layer: &Layer,
    changes: impl IntoIterator<Item = (DocumentId, Change)>,
) -> Result<(Vec<FileEdit>, Vec<Document>), Error> {
    let (mut edits, mut documents) = (Vec::new(), Vec::new());
    for (id, change) in changes {
        let old = layer.index.document(id);
        let path = &old.path;
        let before = layer.bytes(path)?;
        let read = |bytes: &[u8]| super::super::document::read(path, bytes.into());
        if read(&before).map(|document| document.contract) != Some(old.contract.clone()) {
            return Err(edit::Error::ChangedSince { file: layer.place.on_disk(path) }.into());
        }
        let refused = |why: String| Error::Uneditable { file: path.clone(), line: None, why };
        let after = changed(path, &before, &change).map_err(refused)?;
        let mut document = read(&after).ok_or_else(|| refused("it would be no document".to_owned()))?;
        document.new = old.new;
        documents.push(document);
        edits.push(FileEdit::change(layer.place.on_disk(path), before, after));
    }
    Ok((edits, documents))
}

/// The index with these documents in the place of those of their paths.
pub(super) fn replaced(index: &Index, documents: Vec<Document>) -> Index {
    let changes = documents.into_iter().filter_map(|document| {
        let id = index.document_at(document.path.as_bytes())?;
        Some((id, Some(Arc::new(document))))
    });
    index.replacing(changes.collect::<Vec<_>>())
}
