//! What comes into the model and what it asks for, as plain data: a test reads "these messages, this screen, these
//! effects".

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::detail::{Detail, Line};
use super::entry::{Entry, Mark, Subject};
use super::form::Form;
use super::key::Key;
use super::outline::{Fold, NodeId, Outline};
use crate::finding::Finding;

/// One of the three parts of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The resource DAG.
    Resources,
    /// The directory contracts.
    Contracts,
    /// The package selection.
    Selection,
}

impl Part {
    /// All three.
    pub const ALL: [Part; 3] = [Part::Resources, Part::Contracts, Part::Selection];
}

/// How the resources are laid out; `i` goes round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResourceView {
    /// From the roots down.
    #[default]
    Tree,
    /// From one resource up.
    Parents,
    /// Under their types.
    ByType,
    /// Those without parents and children.
    Orphans,
}

impl ResourceView {
    /// Its name, beside the pane's title.
    pub fn name(self) -> &'static str {
        match self {
            ResourceView::Tree => "",
            ResourceView::Parents => "parents",
            ResourceView::ByType => "by type",
            ResourceView::Orphans => "orphans",
        }
    }

    /// The next one.
    #[must_use]
    pub fn next(self) -> ResourceView {
        match self {
            ResourceView::Tree => ResourceView::Parents,
            ResourceView::Parents => ResourceView::ByType,
            ResourceView::ByType => ResourceView::Orphans,
            ResourceView::Orphans => ResourceView::Tree,
        }
    }
}

/// A write somebody asks for; first to see it, then to do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Put children under a parent.
    Link {
        /// The parent's id.
        parent: String,
        /// The children's ids.
        children: Vec<String>,
    },
    /// Take children from parents.
    Unlink {
        /// The ids of each parent and its child.
        links: Vec<(String, String)>,
    },
    /// Find the children of a resource on disk.
    Discover {
        /// Their ids.
        ids: Vec<String>,
        /// How far; `None` asks for one level. The form holds `reach`.
        form: Option<Form>,
    },
    /// Add a resource; the form holds `type`, `name`, `location`.
    Add {
        /// What is known of it; `None` asks for the best guesses.
        form: Option<Form>,
    },
    /// Remove a resource with its links.
    Remove {
        /// Its id.
        id: String,
    },
    /// Take away all links that lead to or from an id without a row.
    RemoveDangling,
    /// Take away a link of a cycle; the form holds `link`.
    Break {
        /// A resource of the cycle.
        id: String,
        /// Which link; `None` asks for a guess.
        form: Option<Form>,
    },
    /// Settle owed directories: write their contracts, exempt them, or lift the requirement.
    Fix {
        /// The directories.
        directories: Vec<String>,
        /// How; `None` asks for the best guesses.
        form: Option<Form>,
    },
    /// Mend the broken document of a directory.
    Repair {
        /// The directory.
        directory: String,
    },
    /// Write what is tried.
    Tries(Part),
    /// Undo the last write.
    Undo,
    /// Leave the last write as it is, so that the one before it is undone next.
    Keep,
    /// Redo what was undone last.
    Redo,
}

/// What a write would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// What it does, in a few words.
    pub title: String,
    /// What will change: a sentence or a diff.
    pub lines: Vec<Line>,
    /// What comes of it: `owed 21 -> 20 · documented 9 -> 10`.
    pub effect: String,
    /// The form with the values the preview was made with, where there is one.
    pub form: Option<Form>,
    /// Nothing would change: `enter` just closes it.
    pub idle: bool,
    /// Why it cannot be done as the form says; empty when it can.
    pub refusal: Vec<Line>,
}

/// What a write did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What was done, for the bottom line.
    pub said: String,
    /// The parts to read again.
    pub touched: Vec<Part>,
    /// The thing to put the cursor on.
    pub reveal: Option<Subject>,
    /// Whether to open the row that the cursor is on.
    pub open: bool,
    /// The part whose tries have been written.
    pub untried: Option<Part>,
    /// What to propose next.
    pub next: Option<Request>,
    /// What the bottom line offers to do about it.
    pub offer: Option<Action>,
}

/// A thing that can be picked, or the reason why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Why it cannot be picked.
    pub refusal: Option<String>,
}

/// What may be linked to a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Those on offer, the possible ones first.
    pub list: Vec<Candidate>,
    /// How many more there are than are listed.
    pub more: usize,
    /// What is left out, and why.
    pub left_out: String,
}

/// What is said where a pane has no rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// In the pane, which may be narrow and one row high.
    pub short: Vec<Line>,
    /// Beside it, in full.
    pub full: Vec<Line>,
    /// The file that has to be mended before there are rows, and the line.
    pub file: Option<(PathBuf, usize)>,
}

/// What a part holds.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Its rows.
    pub outline: Outline,
    /// Its counts, beside the pane's title: a text, and the mark of what is counted.
    pub counts: Vec<(String, Mark)>,
    /// What to say where there are no rows: what is looked for, and how to begin.
    pub hint: Advice,
    /// What it reports, each with the thing it is about where that has a row.
    pub findings: Vec<(Arc<Finding>, Option<Subject>)>,
    /// Words for the top line; where there is no room for all, the last one stays. An empty one is none.
    pub header: Vec<String>,
    /// The thing to put the cursor on.
    pub reveal: Option<Subject>,
    /// What will be told by a second answer, in a few words; empty when this is all.
    pub to_come: &'static str,
}

/// Why a part could not be read.
#[derive(Clone, Debug, Default)]
pub struct Failed {
    /// What to say in its pane.
    pub lines: Vec<Line>,
    /// The same for the Problems pane.
    pub findings: Vec<Arc<Finding>>,
}

/// What comes in.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key.
    Key(Key),
    /// Pasted text.
    Paste(String),
    /// The mouse.
    Mouse(Mouse),
    /// The screen's new size in cells.
    Resize(u16, u16),
    /// The last frame has reached the screen.
    Drawn,
    /// In the last frame what is scrolled in the dialog in front began with this line; its end may leave no more.
    Scrolled(usize),
    /// The first rows of a part that is still being read.
    FirstRows {
        /// The part.
        part: Part,
        /// The request that will be answered.
        generation: u64,
        /// The rows.
        outline: Outline,
    },
    /// A part has been read, or why not.
    Loaded {
        /// The part.
        part: Part,
        /// The request it answers.
        generation: u64,
        /// What it holds.
        loaded: Result<Box<Loaded>, Box<Failed>>,
    },
    /// What a part reports, where its rows were told before.
    Findings {
        /// The part.
        part: Part,
        /// The request it answers.
        generation: u64,
        /// The findings, each with the thing it is about where that has a row.
        findings: Vec<(Arc<Finding>, Option<Subject>)>,
        /// Rows that show only now, to come after the others.
        group: Outline,
    },
    /// The children of a row have been read: all of them, or the next of very many.
    Children {
        /// The load the row belongs to.
        generation: u64,
        /// The row.
        node: NodeId,
        /// Its children.
        children: Result<Vec<(Entry, Fold)>, String>,
        /// How many more are to come.
        to_come: usize,
    },
    /// The detail of a thing.
    Detail {
        /// The request it answers.
        generation: u64,
        /// The detail.
        detail: Box<Detail>,
    },
    /// What may be linked.
    Candidates {
        /// The request it answers.
        generation: u64,
        /// Those.
        candidates: Result<Candidates, Vec<Line>>,
    },
    /// What was found, the best first.
    Found {
        /// The request it answers.
        generation: u64,
        /// The things.
        found: Vec<Entry>,
    },
    /// What was written, the newest first, for the undo list.
    History(Vec<Line>),
    /// What a write would do, or why it may not be done.
    Previewed {
        /// The request it answers.
        generation: u64,
        /// The preview.
        preview: Result<Box<Preview>, Vec<Line>>,
    },
    /// What a write did, or why it was not done.
    Written {
        /// The write it tells of.
        generation: u64,
        /// What it did, or why not.
        written: Result<Box<Written>, Vec<Line>>,
    },
    /// How far a long write is.
    Progress(String),
    /// What is tried in a part now, or why something cannot be.
    Tries {
        /// The part.
        part: Part,
        /// The tries, in words.
        tries: Result<Vec<String>, String>,
    },
    /// How one resource contains another.
    Way(Vec<Line>),
    /// What can be undone and redone now, by name.
    Journal {
        /// The newest write that stands.
        undo: Option<String>,
        /// The write that was undone last.
        redo: Option<String>,
    },
    /// Another program changed a part.
    Outside(Part),
    /// A part may have changed; nothing is to be said about it.
    Again(Part),
    /// Something to tell in the bottom line.
    Note(String),
    /// The marks of what had just changed have been seen long enough, up to this batch.
    Faded(u64),
    /// What the bottom line told has been there long enough, up to the one of this number.
    Hushed(u64),
    /// The system asks the program to end.
    Terminate,
}

/// What the mouse did, at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// What it did.
    pub kind: MouseKind,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button went down.
    Click,
    /// The mouse moved with the left button down.
    Drag,
    /// The left button came up.
    Release,
    /// The wheel turned towards the user.
    WheelDown,
    /// The wheel turned away.
    WheelUp,
}

/// What the model asks for. Everything but the last four is done beside the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Read a part.
    Load {
        /// The part.
        part: Part,
        /// To be told back.
        generation: u64,
        /// The rows that are to be open, by key.
        open: HashSet<u64>,
        /// A thing whose row is to be there.
        reveal: Option<Subject>,
        /// Things whose names contain this are to be there too; empty for none.
        find: String,
        /// How resources are laid out.
        view: ResourceView,
        /// The resource that the parents view begins with.
        about: Option<String>,
    },
    /// Look through all links of the registry whose rows were just told. The desk that told them asks for it.
    Survey {
        /// To be told back.
        generation: u64,
        /// The rows that are to be open, by key.
        open: HashSet<u64>,
        /// How resources are laid out.
        view: ResourceView,
    },
    /// Read the children of a resource's row.
    Children {
        /// To be told back.
        generation: u64,
        /// The row, to be told back.
        node: NodeId,
        /// The resource, or the heading.
        of: Subject,
        /// Whether its parents are asked for instead.
        upward: bool,
    },
    /// Say all there is to say about a thing.
    Detail {
        /// To be told back.
        generation: u64,
        /// The thing.
        subject: Subject,
    },
    /// Say what may be linked to a resource.
    Candidates {
        /// To be told back.
        generation: u64,
        /// The resource.
        id: String,
        /// Whether it is to be the child.
        upward: bool,
        /// Only names that contain this.
        text: String,
        /// Also those that a rule forbids.
        forbidden: bool,
    },
    /// Try the next state of a thing, or end the try.
    Try {
        /// The part.
        part: Part,
        /// The thing.
        subject: Subject,
    },
    /// End all tries of a part.
    ClearTries(Part),
    /// Find things by name, in all three parts.
    Find {
        /// To be told back.
        generation: u64,
        /// What is searched for.
        text: String,
    },
    /// Tell what was written.
    History,
    /// Say what can be undone and redone now.
    Journal,
    /// Say how one resource contains another.
    Way {
        /// The one.
        from: String,
        /// The other.
        to: String,
    },
    /// Say what a write would do.
    Preview {
        /// To be told back.
        generation: u64,
        /// The write.
        request: Request,
    },
    /// Write.
    Write {
        /// To be told back.
        generation: u64,
        /// The write.
        request: Request,
    },
    /// Stop the write, or the preview of one, that runs.
    CancelWrite,
    /// Say when the marks of what has just changed are to go, up to this batch.
    Fade(u64),
    /// Say when what the bottom line tells has been there long enough, up to the one of this number.
    Hush(u64),
    /// Put text on the clipboard.
    Copy {
        /// The text.
        text: String,
        /// What it is, in a word or two.
        what: String,
    },
    /// Open a file in `$EDITOR`.
    Edit(PathBuf, usize),
    /// Suspend to the shell.
    Suspend,
    /// End.
    Quit,
}
