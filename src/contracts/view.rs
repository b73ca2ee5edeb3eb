//! Directories, contracts and steps as answers have them: what is not there is left out, never null.

use serde::Serialize;

use super::index::{DocumentId, Index};
use super::model::{Composition, Contract, RepoPath, State};
use super::resolve::Step;
use super::tree::FolderId;

/// A directory as answers have it; what is not there is left out.
#[derive(Debug, Serialize)]
pub struct DirectoryView<'a> {
    path: &'a RepoPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a RepoPath>,
    depth: u32,
    state: State,
    requires_contract: bool,
    objects: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<&'a RepoPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    governed_by: Option<&'a RepoPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exempted_by: Option<&'a RepoPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<ContractView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effective: Vec<StepView<'a>>,
}

impl<'a> DirectoryView<'a> {
    /// The view of a directory with these steps as its chain.
    pub fn new(index: &'a Index, folder: FolderId, chain: &[Step]) -> DirectoryView<'a> {
        let standing = index.standing(folder);
        let path = index.path(folder);
        let document = |id: DocumentId| &index.document(id).path;
        DirectoryView {
            path,
            path_bytes: hex_unless_text(path),
            parent: index.parent(folder).map(|parent| index.path(parent)),
            depth: index.depth(folder),
            state: standing.state,
            requires_contract: standing.requires_contract,
            objects: standing.objects,
            children: index.listed_children(folder).map(|child| index.path(child)).collect(),
            governed_by: standing.governed_by.map(document),
            exempted_by: standing.exempted_by.map(document),
            contract: index.contract_of(folder).map(|(id, contract)| ContractView::new(index, id, contract)),
            effective: chain.iter().map(|step| StepView::new(index, step)).collect(),
        }
    }
}

/// The bytes of a path in hex, when its text is not exact.
fn hex_unless_text(path: &RepoPath) -> Option<String> {
    (!path.is_text()).then(|| path.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A contract as answers have it.
#[derive(Debug, Serialize)]
pub struct ContractView<'a> {
    path: &'a RepoPath,
    #[serde(flatten)]
    contract: &'a Contract,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    new: bool,
}

impl<'a> ContractView<'a> {
    fn new(index: &'a Index, id: DocumentId, contract: &'a Contract) -> ContractView<'a> {
        let document = index.document(id);
        ContractView { path: &document.path, contract, new: document.new }
    }
}

/// A step of a chain as answers have it.
#[derive(Debug, Serialize)]
pub struct StepView<'a> {
    id: &'a str,
    path: &'a RepoPath,
    depth: usize,
    order: i64,
    composition: Composition,
    reason: &'static str,
    local: bool,
}

impl<'a> StepView<'a> {
    /// The view of a step.
    pub fn new(index: &'a Index, step: &Step) -> StepView<'a> {
        let contract = index.contract(step.document);
        StepView {
            id: contract.map_or("", |contract| &contract.id),
            path: &index.document(step.document).path,
            depth: step.depth,
            order: contract.map_or(0, |contract| contract.order),
            composition: contract.map_or(Composition::Extend, |contract| contract.composition),
            reason: step.reason.words(),
            local: step.local,
        }
    }
}
