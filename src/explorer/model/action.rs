//! The one table of actions: its name, what it does, its keys, when it applies. The keymap, the `?` help, the palette
//! and the hints of the bottom line are all read off it; the keys in it are those that hold where the user says nothing
//! else.

/// What a key can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each does")]
pub enum Action {
    Down,
    Up,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    First,
    Last,
    Out,
    In,
    Fold,
    OpenAll,
    CloseAll,
    Enter,
    Escape,
    Pane1,
    Pane2,
    Pane3,
    Pane4,
    ToDetail,
    FromDetail,
    PreviousTab,
    NextTab,
    Filter,
    Find,
    States,
    Sort,
    NextMatch,
    PreviousMatch,
    NextOwed,
    PreviousOwed,
    GoDirectory,
    GoResource,
    GoSelection,
    GoProblems,
    Back,
    Forward,
    Arrange,
    View,
    Link,
    Unlink,
    Discover,
    Add,
    Remove,
    Fix,
    Mark,
    MarkAll,
    Try,
    Tries,
    Way,
    Edit,
    CopyPath,
    CopyId,
    CopyChain,
    CopyJson,
    Reload,
    Undo,
    Redo,
    History,
    Help,
    Palette,
    Suspend,
    Cancel,
    Quit,
}

/// The heading an action stands under in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Moving about.
    Moving,
    /// Finding things.
    Finding,
    /// Changing things.
    Acting,
    /// The program itself.
    Program,
}

impl Group {
    /// Its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Moving => "Moving",
            Group::Finding => "Finding",
            Group::Acting => "Acting",
            Group::Program => "The program",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The action.
    pub action: Action,
    /// Its name, for the palette and the key file.
    pub name: &'static str,
    /// What it does, in a few words.
    pub text: &'static str,
    /// Its keys; a sequence is written with spaces.
    pub keys: &'static [&'static str],
    /// Its heading.
    pub group: Group,
}

const fn row(
    group: Group,
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    text: &'static str,
) -> Spec {
    Spec { action, name, text, keys, group }
}

use Group::{Acting, Finding, Moving, Program};

/// Every action.
pub const ACTIONS: &[Spec] = &[
    row(Moving, Action::Down, "down", &["j", "down"], "next row"),
    row(Moving, Action::Up, "up", &["k", "up"], "previous row"),
    row(Moving, Action::In, "in", &["l", "right"], "open, then to the first below"),
    row(Moving, Action::Out, "out", &["h", "left"], "close, then to the one above"),
    row(Moving, Action::Fold, "fold", &["space"], "open or close"),
    row(Moving, Action::OpenAll, "open-all", &["*"], "open everything that has been read"),
    row(Moving, Action::CloseAll, "close-all", &["-"], "close everything"),
    row(Moving, Action::HalfDown, "half-down", &["ctrl-d"], "half a screen down"),
    row(Moving, Action::HalfUp, "half-up", &["ctrl-u"], "half a screen up"),
    row(Moving, Action::PageDown, "page-down", &["pgdn", "ctrl-f"], "a screen down"),
    row(Moving, Action::PageUp, "page-up", &["pgup", "ctrl-b"], "a screen up"),
    row(Moving, Action::First, "first", &["g g", "home"], "first row"),
    row(Moving, Action::Last, "last", &["G", "end"], "last row"),
    row(Moving, Action::Enter, "enter", &["enter"], "look closer: to the detail, or where a line leads"),
    row(Moving, Action::Back, "back", &["backspace"], "back to where you came from"),
    row(Moving, Action::Forward, "forward", &["alt-right"], "forward again, after going back"),
    row(Moving, Action::ToDetail, "detail", &["tab"], "to the detail and back"),
    row(Moving, Action::FromDetail, "from-detail", &["shift-tab"], "to the detail and back"),
    row(Moving, Action::PreviousTab, "previous-tab", &["["], "previous tab of the detail"),
    row(Moving, Action::NextTab, "next-tab", &["]"], "next tab of the detail"),
    row(Moving, Action::Pane1, "to-resources", &["1"], "to the resources"),
    row(Moving, Action::Pane2, "to-directories", &["2"], "to the directories"),
    row(Moving, Action::Pane3, "to-selection", &["3"], "to the selection"),
    row(Moving, Action::Pane4, "to-problems", &["4"], "to the problems"),
    row(Moving, Action::Arrange, "arrange", &["+"], "another arrangement of the panes"),
    row(Finding, Action::Filter, "filter", &["/"], "leave only rows that contain a text"),
    row(Finding, Action::Find, "find", &["ctrl-p"], "find anything: resources, directories, packages, items"),
    row(Finding, Action::States, "states", &["F"], "leave only rows of one state, or type: goes round"),
    row(Finding, Action::Sort, "sort", &["s"], "sort the rows: as they are, by name, by state, by the right column"),
    row(Finding, Action::NextMatch, "next-match", &["n"], "next match"),
    row(Finding, Action::PreviousMatch, "previous-match", &["N"], "previous match"),
    row(Finding, Action::NextOwed, "next-owed", &["o"], "next owed or broken directory"),
    row(Finding, Action::PreviousOwed, "previous-owed", &["O"], "previous owed or broken directory"),
    row(Finding, Action::GoDirectory, "go-directory", &["g d"], "the same thing among the directories"),
    row(Finding, Action::GoResource, "go-resource", &["g r"], "the same thing among the resources"),
    row(Finding, Action::GoSelection, "go-selection", &["g s"], "the same thing in the selection"),
    row(Finding, Action::GoProblems, "go-problems", &["g p"], "its problems"),
    row(Finding, Action::View, "view", &["i"], "resources from the roots down, from this one up, by type, orphans"),
    row(Finding, Action::Way, "why", &["w"], "how one resource contains another: w on each"),
    row(Acting, Action::Link, "link", &["L"], "link a child under this resource"),
    row(Acting, Action::Unlink, "unlink", &["U"], "unlink it from the parent it is shown under"),
    row(Acting, Action::Discover, "discover", &["D"], "discover its children on disk"),
    row(Acting, Action::Add, "add", &["a"], "add a resource"),
    row(Acting, Action::Remove, "remove", &["x"], "remove the resource"),
    row(Acting, Action::Fix, "fix", &["f"], "settle what is owed or broken: directory, dangling link, cycle"),
    row(Acting, Action::Mark, "mark", &["v"], "mark the row, for link, unlink, discover, fix"),
    row(Acting, Action::MarkAll, "mark-all", &["V"], "mark all rows of this kind and state"),
    row(Acting, Action::Try, "try", &["t"], "what if: try another state for this, nothing is written"),
    row(Acting, Action::Tries, "tries", &["T"], "the tries, what comes of them, and writing them"),
    row(Acting, Action::Edit, "edit", &["e"], "open its file in $EDITOR"),
    row(Acting, Action::CopyPath, "copy-path", &["y p"], "copy its path"),
    row(Acting, Action::CopyId, "copy-id", &["y i"], "copy its id"),
    row(Acting, Action::CopyChain, "copy-chain", &["y c"], "copy its chain"),
    row(Acting, Action::CopyJson, "copy-json", &["y j"], "copy it as JSON"),
    row(Acting, Action::Undo, "undo", &["z", "u"], "undo the last write"),
    row(Acting, Action::Redo, "redo", &["Z", "ctrl-r"], "redo what was undone"),
    row(Program, Action::Escape, "escape", &["esc"], "close the innermost thing; never quits"),
    row(Program, Action::Cancel, "cancel", &["ctrl-c"], "cancel what runs; twice when idle quits"),
    row(Program, Action::Reload, "reload", &["r", "f5"], "read everything again"),
    row(Program, Action::History, "history", &["!"], "running tasks, and what was written: the undo list"),
    row(Program, Action::Help, "help", &["?", "f1"], "this help"),
    row(Program, Action::Palette, "palette", &[":"], "every action by name"),
    row(Program, Action::Suspend, "suspend", &["ctrl-z"], "suspend to the shell"),
    row(Program, Action::Quit, "quit", &["q"], "quit"),
];

impl Action {
    /// Its row of the table.
    pub fn spec(self) -> &'static Spec {
        // every action has a row: a test below holds it to that
        ACTIONS.iter().find(|spec| spec.action == self).unwrap_or(&ACTIONS[0])
    }

    /// The action of a name.
    pub fn named(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|spec| spec.name == name).map(|spec| spec.action)
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Key;
    use super::*;

    #[test]
    fn every_key_of_the_table_is_one_and_none_stands_twice() {
        let mut seen = std::collections::HashSet::new();
        for spec in ACTIONS {
            for keys in spec.keys {
                assert!(Key::sequence(keys).is_some(), "{keys} is no key");
                assert!(seen.insert(*keys), "{keys} stands twice");
            }
        }
    }

    #[test]
    fn every_name_stands_once_and_every_action_has_a_row() {
        let names: std::collections::HashSet<_> = ACTIONS.iter().map(|spec| spec.name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        let actions: std::collections::HashSet<_> = ACTIONS.iter().map(|spec| spec.action).collect();
        assert_eq!(actions.len(), ACTIONS.len());
        assert_eq!(actions.len(), Action::Quit as usize + 1, "the last action is Quit");
    }
}
