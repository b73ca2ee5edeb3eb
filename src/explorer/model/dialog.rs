//! What lies over the panes: the plan of a write, the picker of a link, the help, the palette, a notice. The innermost
//! one takes the keys.

use super::PaneId;
use super::action::{ACTIONS, Action, Spec};
use super::detail::{Line, Tone};
use super::entry::{Entry, Subject};
use super::form::{Form, Input};
use super::key::{Code, Key};
use super::keymap::Keymap;
use super::msg::{Candidates, Effect, Preview, Request};
use crate::resources::thousands;

/// What lies over the panes.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// A write, before it is done.
    Plan(Plan),
    /// What may be linked.
    Picker(Picker),
    /// All keys, searchable.
    Help {
        /// What is searched for.
        search: Input,
        /// The first line on screen.
        scroll: usize,
    },
    /// Every action by name.
    Palette {
        /// What is searched for.
        search: Input,
        /// The chosen one.
        cursor: usize,
    },
    /// Anything, by name.
    Find(Find),
    /// What runs beside the screen, and what was written.
    Tasks {
        /// What was written, the newest first; none while that is being read.
        written: Option<Vec<Line>>,
        /// The first line of it on screen.
        scroll: usize,
    },
    /// Something to read.
    Notice {
        /// Its title.
        title: String,
        /// Its lines.
        lines: Vec<Line>,
        /// The first line on screen.
        scroll: usize,
    },
    /// Whether to quit all the same.
    Quit {
        /// What would be lost.
        why: String,
    },
}

/// A write, before it is done: what it will change, and its effect.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The write.
    pub request: Request,
    /// The preview that is waited for, or shown.
    pub generation: u64,
    /// How far it is.
    pub stage: Stage,
    /// The fields it can be changed by.
    pub form: Option<Form>,
    /// The field being edited.
    pub field: Option<usize>,
    /// The first line of the preview on screen.
    pub scroll: usize,
    /// What was marked and is left out, and why.
    pub left_out: Vec<String>,
    /// Whether text was typed just now where none is taken.
    pub untaken: bool,
}

/// How far a plan is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Being thought out.
    Waiting,
    /// Thought out, and not yet on screen: `enter` means nothing yet.
    Ready(Box<Preview>),
    /// On screen.
    Shown(Box<Preview>),
    /// Refused, and why.
    Refused(Vec<Line>),
    /// Being done.
    Writing,
    /// It was begun, and stopped or failed, and why.
    Failed(Vec<Line>),
}

/// How many of the marked that are left out are told.
const LEFT_OUT: usize = 8;

/// Why a preview cannot be confirmed yet.
const UNSEEN: &str = "enter was not taken: the preview had not been shown yet";

/// What a key in a dialog comes to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The dialog ends.
    pub close: bool,
    /// What it asks for.
    pub effects: Vec<Effect>,
    /// The dialog that comes over it.
    pub over: Option<Dialog>,
    /// The action it chose.
    pub action: Option<Action>,
    /// The preview or the list has to be made anew.
    pub stale: bool,
    /// The thing to go to.
    pub go: Option<Subject>,
    /// What the bottom line has to tell: why a key was not taken.
    pub said: Option<&'static str>,
}

impl Outcome {
    fn close() -> Outcome {
        Outcome { close: true, ..Outcome::default() }
    }

    fn said(said: &'static str) -> Outcome {
        Outcome { said: Some(said), ..Outcome::default() }
    }
}

impl Plan {
    /// A write whose preview has been asked for.
    pub fn new(request: Request, generation: u64) -> Plan {
        Plan {
            request,
            generation,
            stage: Stage::Waiting,
            form: None,
            field: None,
            scroll: 0,
            left_out: Vec::new(),
            untaken: false,
        }
    }

    /// Takes the preview, or the refusal.
    pub fn previewed(&mut self, preview: Result<Box<Preview>, Vec<Line>>) {
        match preview {
            Ok(mut preview) => {
                if self.form.is_none() && preview.form.is_some() {
                    self.form.clone_from(&preview.form);
                    // somebody who adds a thing is about to name it; a contract can be written as guessed
                    self.field = matches!(self.request, Request::Add { .. }).then_some(1);
                }
                preview.lines.splice(0..0, self.told_left_out());
                let refusal = std::mem::take(&mut preview.refusal);
                self.stage = if refusal.is_empty() { Stage::Ready(preview) } else { Stage::Refused(refusal) };
            }
            Err(why) => self.stage = Stage::Refused(why),
        }
    }

    fn told_left_out(&self) -> Vec<Line> {
        let told = self.left_out.iter().take(LEFT_OUT);
        let mut lines: Vec<Line> = told.map(|what| Line::of(Tone::Warn, format!("left out: {what}"))).collect();
        if let Some(more @ 1..) = self.left_out.len().checked_sub(LEFT_OUT) {
            lines.push(Line::of(Tone::Warn, format!("and {} more are left out", thousands(more))));
        }
        lines
    }

    /// The request with what the form says.
    pub fn request(&self) -> Request {
        match &self.request {
            Request::Fix { directories, .. } => {
                Request::Fix { directories: directories.clone(), form: self.form.clone() }
            }
            Request::Discover { ids, .. } => Request::Discover { ids: ids.clone(), form: self.form.clone() },
            Request::Break { id, .. } => Request::Break { id: id.clone(), form: self.form.clone() },
            Request::Add { .. } => Request::Add { form: self.form.clone() },
            other => other.clone(),
        }
    }

    fn key(&mut self, key: Key) -> Outcome {
        self.untaken = false;
        match key.code {
            // what is still being thought out, or still waits for others, is not wanted any more
            Code::Esc if matches!(self.stage, Stage::Waiting | Stage::Writing) => {
                return Outcome { effects: vec![Effect::CancelWrite], ..Outcome::close() };
            }
            Code::Esc => return Outcome::close(),
            _ if self.stage == Stage::Writing => return Outcome::default(),
            Code::Enter => return self.enter(),
            Code::Char('x') if matches!(self.request, Request::Tries(_)) => {
                let effects = match self.request {
                    Request::Tries(part) => vec![Effect::ClearTries(part)],
                    _ => Vec::new(),
                };
                return Outcome { effects, ..Outcome::close() };
            }
            Code::Char('s') if self.can_skip() => {
                return Outcome { over: Some(Dialog::Plan(Plan::new(Request::Keep, 0))), ..Outcome::default() };
            }
            Code::Tab | Code::Down if key.code == Code::Tab || self.field.is_some() => {
                self.field = self.next_field();
            }
            Code::BackTab | Code::Up if key.code == Code::BackTab || self.field.is_some() => {
                self.field = self.form.as_ref().and_then(|form| form.before(self.field));
            }
            _ if self.scrolls(key) => {
                self.scroll_by(key);
            }
            _ => {
                // the choice that comes first can be made without going there
                let chooses = matches!(key.code, Code::Left | Code::Right);
                let at = self.field.or_else(|| self.first_choice().filter(|_| chooses));
                if let (Some(at), Some(form)) = (at, &mut self.form) {
                    let before = form.fields[at].input.text().to_owned();
                    let taken = form.fields[at].key(key);
                    self.untaken = !taken && !form.fields[at].is_text() && types(key);
                    let stale = form.fields[at].input.text() != before;
                    return Outcome { stale, ..Outcome::default() };
                }
                let scrolls = self.scroll_by(key);
                self.untaken = !scrolls && self.form.is_some() && types(key);
            }
        }
        Outcome::default()
    }

    /// Whether a key moves the preview from the field one is in. In a text `ctrl-u` takes away what is before the caret, as
    /// everywhere, so that `ctrl-d` does not lead there.
    fn scrolls(&self, key: Key) -> bool {
        let text = self.field.zip(self.form.as_ref()).is_some_and(|(at, form)| form.fields[at].is_text());
        match (key.code, key.ctrl) {
            (Code::PageDown | Code::PageUp, _) => true,
            (Code::Char('d' | 'u'), true) => !text,
            _ => false,
        }
    }

    /// Moves the preview by a key; gives whether the key means that.
    fn scroll_by(&mut self, key: Key) -> bool {
        let lines = match &self.stage {
            Stage::Ready(preview) | Stage::Shown(preview) => preview.lines.len(),
            Stage::Refused(why) | Stage::Failed(why) => why.len(),
            Stage::Waiting | Stage::Writing => 0,
        };
        // every key that moves at all moves from the second line
        let moves = scrolled(1, key) != 1;
        self.scroll = scrolled(self.scroll, key).min(lines.saturating_sub(1));
        moves
    }

    /// The field that `tab` leads to. The ways to do it are in sight and chosen without going there: what is gone to first is
    /// what can be typed.
    fn next_field(&self) -> Option<usize> {
        let form = self.form.as_ref()?;
        match (self.field, self.first_choice()) {
            (None, Some(first)) => form.after(Some(first)).or(Some(first)),
            (field, _) => form.after(field),
        }
    }

    /// Whether it is an undo that cannot be done, which stands in the way of those before it.
    pub fn can_skip(&self) -> bool {
        self.request == Request::Undo && matches!(self.stage, Stage::Refused(_) | Stage::Failed(_))
    }

    /// The first field, where its values are in sight and it can be chosen without going there.
    pub fn first_choice(&self) -> Option<usize> {
        self.form.as_ref()?.fields.first()?.is_told().then_some(0)
    }

    fn enter(&mut self) -> Outcome {
        match &self.stage {
            Stage::Shown(preview) if preview.idle => Outcome::close(),
            Stage::Shown(_) => {
                let effects = vec![Effect::Write { generation: self.generation, request: self.request() }];
                self.stage = Stage::Writing;
                Outcome { effects, ..Outcome::default() }
            }
            Stage::Refused(_) if self.form.is_none() => Outcome::close(),
            Stage::Failed(_) => Outcome::close(),
            Stage::Refused(_) => Outcome::said("enter was not taken: it is refused as it stands, for the reason above"),
            // nobody confirms what they could not see
            Stage::Waiting | Stage::Ready(_) => Outcome::said(UNSEEN),
            Stage::Writing => Outcome::default(),
        }
    }
}

/// Anything, by name.
#[derive(Clone, Debug, Default)]
pub struct Find {
    /// What is searched for.
    pub search: Input,
    /// The list that is waited for, or shown.
    pub generation: u64,
    /// What was found, the best first.
    pub found: Vec<Entry>,
    /// The chosen one.
    pub cursor: usize,
    /// Whether the list is not yet the one that was asked for last.
    pub stale: bool,
    /// Whether one has been chosen from a list that was still to come.
    pub going: bool,
}

impl Find {
    /// Takes what was found; a choice that waited for it is made.
    pub fn fill(&mut self, found: Vec<Entry>) -> Option<Subject> {
        self.stale = false;
        self.found = found;
        self.cursor = self.cursor.min(self.found.len().saturating_sub(1));
        let going = std::mem::take(&mut self.going);
        self.found.get(self.cursor).filter(|_| going).map(|entry| entry.subject.clone())
    }

    fn key(&mut self, key: Key) -> Outcome {
        let last = self.found.len().saturating_sub(1);
        match (key.code, key.ctrl) {
            (Code::Esc, _) => return Outcome::close(),
            (Code::Down, _) | (Code::Char('n'), true) => self.cursor = (self.cursor + 1).min(last),
            (Code::Up, _) | (Code::Char('p'), true) => self.cursor = self.cursor.saturating_sub(1),
            (Code::PageDown, _) => self.cursor = (self.cursor + 10).min(last),
            (Code::PageUp, _) => self.cursor = self.cursor.saturating_sub(10),
            (Code::Enter, _) if self.stale => self.going = true,
            (Code::Enter, _) => {
                let go = self.found.get(self.cursor).map(|entry| entry.subject.clone());
                return Outcome { go, ..Outcome::close() };
            }
            _ => {
                let stale = self.search.key(key);
                if stale {
                    (self.cursor, self.stale) = (0, true);
                }
                return Outcome { stale, ..Outcome::default() };
            }
        }
        Outcome::default()
    }
}

/// What may be linked to a resource, to pick from.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for itself; no two belong together")]
pub struct Picker {
    /// The resource it is about; of several, the first.
    pub id: String,
    /// All of them, when several are to become children.
    pub ids: Vec<String>,
    /// Its name, or how many there are.
    pub name: String,
    /// Whether it is to be the child.
    pub upward: bool,
    /// What is searched for.
    pub search: Input,
    /// Whether those a rule forbids are listed too.
    pub forbidden: bool,
    /// The list that is waited for, or shown.
    pub generation: u64,
    /// Those on offer; `None` while they are looked for the first time.
    pub candidates: Option<Candidates>,
    /// Whether the list is not yet the one that was asked for last.
    pub stale: bool,
    /// Whether one has been picked from a list that was still to come.
    pub picking: bool,
    /// The chosen one.
    pub cursor: usize,
    /// Why there is no list.
    pub failed: Vec<Line>,
}

impl Picker {
    /// The effect that fills the list.
    pub fn ask(&self) -> Effect {
        Effect::Candidates {
            generation: self.generation,
            id: self.id.clone(),
            upward: self.upward,
            text: self.search.text().to_owned(),
            forbidden: self.forbidden,
        }
    }

    fn key(&mut self, key: Key) -> Outcome {
        let count = self.candidates.as_ref().map_or(0, |candidates| candidates.list.len());
        match (key.code, key.ctrl) {
            (Code::Esc, _) => return Outcome::close(),
            (Code::Tab | Code::BackTab, _) if self.ids.len() == 1 => {
                self.upward = !self.upward;
                return Outcome { stale: true, ..Outcome::default() };
            }
            (Code::Char('t'), true) => {
                self.forbidden = !self.forbidden;
                return Outcome { stale: true, ..Outcome::default() };
            }
            (Code::Down, _) | (Code::Char('n'), true) => {
                self.cursor = (self.cursor + 1).min(count.saturating_sub(1));
            }
            (Code::Up, _) | (Code::Char('p'), true) => self.cursor = self.cursor.saturating_sub(1),
            (Code::PageDown, _) => self.cursor = (self.cursor + 10).min(count.saturating_sub(1)),
            (Code::PageUp, _) => self.cursor = self.cursor.saturating_sub(10),
            (Code::Enter, _) => return self.pick(),
            _ => {
                let stale = self.search.key(key);
                if stale {
                    self.cursor = 0;
                }
                return Outcome { stale, ..Outcome::default() };
            }
        }
        Outcome::default()
    }

    /// Takes the list, or why there is none; a pick that waited for it is made.
    pub fn fill(&mut self, candidates: Result<Candidates, Vec<Line>>) -> Option<Request> {
        self.stale = false;
        match candidates {
            Ok(candidates) => {
                self.cursor = self.cursor.min(candidates.list.len().saturating_sub(1));
                self.candidates = Some(candidates);
                self.failed.clear();
            }
            Err(why) => self.failed = why,
        }
        let picking = std::mem::take(&mut self.picking);
        match self.pick().over {
            Some(Dialog::Plan(plan)) if picking => Some(plan.request),
            _ => None,
        }
    }

    fn pick(&mut self) -> Outcome {
        if self.stale {
            self.picking = true;
            return Outcome::default();
        }
        let Some(chosen) = self.candidates.as_ref().and_then(|candidates| candidates.list.get(self.cursor)) else {
            return Outcome::default();
        };
        let request = if self.upward {
            Request::Link { parent: chosen.id.clone(), children: self.ids.clone() }
        } else {
            Request::Link { parent: self.id.clone(), children: vec![chosen.id.clone()] }
        };
        Outcome { over: Some(Dialog::Plan(Plan::new(request, 0))), ..Outcome::default() }
    }
}

impl Dialog {
    /// A notice with an error's text: its sentence, then what belongs to it.
    pub fn notice(title: &str, lines: Vec<Line>) -> Dialog {
        Dialog::Notice { title: title.to_owned(), lines, scroll: 0 }
    }

    /// What a key comes to.
    pub fn key(&mut self, key: Key) -> Outcome {
        match self {
            Dialog::Plan(plan) => plan.key(key),
            Dialog::Picker(picker) => picker.key(key),
            Dialog::Find(find) => find.key(key),
            Dialog::Help { search, scroll } => match key.code {
                Code::Esc | Code::Enter => Outcome::close(),
                Code::Char('q') if !key.ctrl && search.text().is_empty() => Outcome::close(),
                Code::Down | Code::Up | Code::PageDown | Code::PageUp | Code::Home | Code::End => {
                    *scroll = scrolled(*scroll, key);
                    Outcome::default()
                }
                _ => {
                    search.key(key);
                    *scroll = 0;
                    Outcome::default()
                }
            },
            Dialog::Palette { search, cursor } => {
                let count = palette(search.text()).len();
                match key.code {
                    Code::Esc => return Outcome::close(),
                    Code::Down => *cursor = (*cursor + 1).min(count.saturating_sub(1)),
                    Code::Up => *cursor = cursor.saturating_sub(1),
                    Code::Enter => {
                        let action = palette(search.text()).get(*cursor).map(|spec| spec.action);
                        return Outcome { close: true, action, ..Outcome::default() };
                    }
                    _ => {
                        search.key(key);
                        *cursor = 0;
                    }
                }
                Outcome::default()
            }
            Dialog::Tasks { scroll, .. } => match key.code {
                Code::Esc | Code::Enter | Code::Char('q') => Outcome::close(),
                Code::Char('x') => Outcome { effects: vec![Effect::CancelWrite], ..Outcome::default() },
                _ => {
                    *scroll = scrolled(*scroll, key);
                    Outcome::default()
                }
            },
            Dialog::Notice { scroll, .. } => match key.code {
                Code::Esc | Code::Enter | Code::Char('q') => Outcome::close(),
                _ => {
                    *scroll = scrolled(*scroll, key);
                    Outcome::default()
                }
            },
            Dialog::Quit { .. } => match key.code {
                Code::Char('y' | 'q') | Code::Enter => Outcome { effects: vec![Effect::Quit], ..Outcome::close() },
                _ => Outcome::close(),
            },
        }
    }

    /// Puts pasted text in, where there is a line to edit; gives whether what it shows has to be made anew.
    pub fn paste(&mut self, text: &str) -> bool {
        match self {
            Dialog::Plan(Plan { field: Some(at), form: Some(form), untaken, .. }) => {
                if form.fields[*at].is_text() {
                    form.fields[*at].input.insert(text);
                } else {
                    *untaken = true;
                    return false;
                }
            }
            Dialog::Plan(plan) => {
                plan.untaken = plan.form.is_some();
                return false;
            }
            Dialog::Picker(picker) => picker.search.insert(text),
            Dialog::Find(find) => {
                find.search.insert(text);
                find.stale = true;
            }
            Dialog::Help { search, .. } | Dialog::Palette { search, .. } => search.insert(text),
            _ => return false,
        }
        matches!(self, Dialog::Plan(_) | Dialog::Picker(_) | Dialog::Find(_))
    }
}

/// Whether a key is of those that write a text.
fn types(key: Key) -> bool {
    matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt
}

fn scrolled(scroll: usize, key: Key) -> usize {
    match (key.code, key.ctrl) {
        (Code::Down | Code::Char('j'), false) => scroll.saturating_add(1),
        (Code::Up | Code::Char('k'), false) => scroll.saturating_sub(1),
        (Code::PageDown | Code::Char(' '), _) | (Code::Char('d'), true) => scroll.saturating_add(10),
        (Code::PageUp, _) | (Code::Char('u'), true) => scroll.saturating_sub(10),
        (Code::Home | Code::Char('g'), _) => 0,
        // how far that is, is known where it is painted: there it is counted from the end
        (Code::End | Code::Char('G'), _) => usize::MAX,
        _ => scroll,
    }
}

/// The actions whose name or text contains the characters of a search in order, the closest first.
pub fn palette(search: &str) -> Vec<&'static Spec> {
    let search = search.to_lowercase();
    let mut found: Vec<(usize, &Spec)> = ACTIONS
        .iter()
        .filter_map(|spec| {
            let rank = if spec.name.starts_with(&search) {
                0
            } else if spec.name.contains(&search) {
                1
            } else if spec.text.contains(&search) {
                2
            } else if in_order(spec.name, &search) {
                3
            } else {
                return None;
            };
            Some((rank, spec))
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, spec)| spec).collect()
}

fn in_order(text: &str, search: &str) -> bool {
    let mut left = text.chars();
    search.chars().all(|wanted| left.any(|c| c == wanted))
}

/// The lines of the help that contain a search: headings, the keys of a pane and what they do.
pub fn help(keymap: &Keymap, pane: PaneId, search: &str) -> Vec<Line> {
    let search = search.to_lowercase();
    let mut lines = Vec::new();
    let mut heading = None;
    for spec in ACTIONS {
        let keys = keymap.keys(pane, spec.action).join("  ");
        let texts = [&keys, spec.text, spec.name, spec.group.heading()];
        if !texts.into_iter().any(|text| text.to_lowercase().contains(&search)) {
            continue;
        }
        if heading != Some(spec.group) {
            if heading.is_some() {
                lines.push(Line::blank());
            }
            lines.push(Line::of(Tone::Strong, spec.group.heading()));
            heading = Some(spec.group);
        }
        lines.push(
            Line::of(Tone::Accent, format!("  {keys:<12} "))
                .and(Tone::Dim, format!("{:<14} ", spec.name))
                .hanging()
                .and(Tone::Plain, spec.text),
        );
    }
    if search.is_empty() {
        lines.push(Line::blank());
        lines.push(Line::of(Tone::Dim, "  The mouse: click a row, turn the wheel; hold shift to select text."));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_ranks_names_before_texts() {
        assert_eq!(palette("un")[0].name, "unlink");
        assert!(palette("unlk").iter().any(|spec| spec.name == "unlink"));
        assert!(palette("zzzz").is_empty());
    }

    #[test]
    fn enter_means_nothing_before_the_preview_was_drawn() {
        let mut plan = Plan::new(Request::Undo, 1);
        let unseen = |outcome: Outcome| outcome.effects.is_empty() && outcome.said == Some(UNSEEN);
        assert!(unseen(plan.key(Key::plain(Code::Enter))));
        plan.previewed(Ok(Box::default()));
        assert!(unseen(plan.key(Key::plain(Code::Enter))), "ready is not yet shown");
        if let Stage::Ready(preview) = plan.stage.clone() {
            plan.stage = Stage::Shown(preview);
        }
        assert_eq!(
            plan.key(Key::plain(Code::Enter)).effects,
            [Effect::Write { generation: 1, request: Request::Undo }]
        );
        assert!(plan.key(Key::plain(Code::Enter)).effects.is_empty(), "and it is done once");
    }

    #[test]
    fn an_undo_that_is_refused_offers_to_leave_that_write_as_it_is() {
        let skip = |plan: &mut Plan| match plan.key(Key::plain(Code::Char('s'))).over {
            Some(Dialog::Plan(plan)) => Some(plan.request),
            _ => None,
        };
        let why = || vec![Line::plain("edited since")];
        let mut plan = Plan::new(Request::Undo, 1);
        assert_eq!(skip(&mut plan), None, "it is not refused yet");
        plan.previewed(Err(why()));
        assert_eq!(skip(&mut plan), Some(Request::Keep), "which is previewed in its turn");
        plan.stage = Stage::Failed(why());
        assert_eq!(skip(&mut plan), Some(Request::Keep), "rows are found changed as late as that");
        for request in [Request::Redo, Request::RemoveDangling] {
            let mut plan = Plan::new(request, 1);
            plan.previewed(Err(why()));
            assert_eq!(skip(&mut plan), None);
        }
    }

    #[test]
    fn help_is_searchable() {
        let told = |search| help(&Keymap::default(), PaneId::Resources, search);
        let all = told("").len();
        let some = told("unlink");
        assert!(some.len() < all && some.iter().any(|line| line.text().contains("unlink")));
    }
}
