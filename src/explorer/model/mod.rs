//! The explorer's state and how it changes: [`Msg`] in, [`Effect`]s out. No I/O, no terminal, no rules of the three
//! parts; `update` takes under a millisecond, since whatever is slow is an effect.

mod action;
mod chosen;
mod crumbs;
mod detail;
mod dialog;
mod entry;
mod form;
mod fresh;
mod headings;
mod hints;
mod key;
mod keymap;
mod keys;
mod layout;
mod memory;
mod mouse;
mod moving;
mod msg;
mod outline;
mod perform;
mod tasks;
mod trail;
mod wrap;
mod writes;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub use action::{ACTIONS, Action, Group, Spec};
pub use detail::{Detail, Line, Span, Tab, Target, Tone};
pub use dialog::{Dialog, Find, Picker, Plan, Stage, help, palette};
pub use entry::{Entry, ItemSubject, Mark, MissingSubject, Occurrence, Subject};
pub use form::{Choice, Field, Form, Input};
pub use key::{Code, Key};
pub use keymap::{Bindings, Keymap, Meaning, written};
pub use layout::{Area, Arrangement, Layout, lay_out};
pub use memory::{Memory, PaneMemory};
pub use msg::{
    Advice, Candidate, Candidates, Effect, Failed, Loaded, Mouse, MouseKind, Msg, Part, Preview, Request, ResourceView,
    Written,
};
pub use outline::{Fold, Node, NodeId, Outline, Sort, Step};
pub use tasks::{Stop, Task};
pub use trail::Trail;
pub use wrap::{TIE, fit, fit_end, width, wrap};

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};

/// How many findings of one kind have rows: with tens of thousands nobody reads on, and each would cost at each reload.
const MOST_PROBLEMS: usize = 1_000;

/// The panes of the left column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PaneId {
    /// The resource DAG.
    Resources,
    /// The layer's directories.
    Directories,
    /// The packages and their items.
    Selection,
    /// Every finding.
    Problems,
}

impl PaneId {
    /// All four, from top to bottom.
    pub const ALL: [PaneId; 4] = [PaneId::Resources, PaneId::Directories, PaneId::Selection, PaneId::Problems];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            PaneId::Resources => "Resources",
            PaneId::Directories => "Directories",
            PaneId::Selection => "Selection",
            PaneId::Problems => "Problems",
        }
    }

    /// The pane a part is shown in.
    pub fn of(part: Part) -> PaneId {
        match part {
            Part::Resources => PaneId::Resources,
            Part::Contracts => PaneId::Directories,
            Part::Selection => PaneId::Selection,
        }
    }

    /// The pane in which a thing has its row.
    pub fn holding(subject: &Subject) -> Option<PaneId> {
        match subject {
            Subject::Group(_) => None,
            Subject::Resource(_) | Subject::Type(_) => Some(PaneId::Resources),
            Subject::Directory(_) => Some(PaneId::Directories),
            Subject::Package(_) | Subject::Item(_) | Subject::MissingSkill(_) => Some(PaneId::Selection),
            Subject::Finding(_) => Some(PaneId::Problems),
        }
    }
}

/// What a pane has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaneState {
    /// It is being read for the first time.
    Loading,
    /// It has been read.
    Ready,
    /// It could not be read, and why.
    Failed(Vec<Line>),
}

/// A pane.
#[derive(Clone, Debug)]
pub struct Pane {
    /// Its rows.
    pub outline: Outline,
    /// Whether it has been read.
    pub state: PaneState,
    /// Its counts, beside its title: a text, and the mark of what is counted.
    pub counts: Vec<(String, Mark)>,
    /// What it says where it has no rows.
    pub hint: Advice,
}

/// The right-hand side.
#[derive(Clone, Debug, Default)]
pub struct DetailView {
    /// What it shows.
    pub shown: Option<Detail>,
    /// The tab on show.
    pub tab: usize,
    /// The line under the cursor.
    pub cursor: usize,
    /// The first line on screen.
    pub scroll: usize,
    /// The tabs that were on show last, for each pane.
    kept: [usize; 4],
    asked: Option<Subject>,
    generation: u64,
}

impl DetailView {
    /// Where the lines of the tab on show are, inside the borders and below the names of the tabs.
    pub fn body(&self, area: Area) -> Area {
        let tabs = u16::from(self.shown.as_ref().is_some_and(|detail| detail.tabs.len() > 1)) * 2;
        Area {
            x: area.x + 2,
            y: area.y + 1 + tabs,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2 + tabs),
        }
    }

    /// Moves what is on screen so that the line under the cursor is on it, whole where that can be.
    fn settle(&mut self, area: Area) {
        let body = self.body(area);
        let (width, height) = (usize::from(body.width), usize::from(body.height));
        let lines = self.lines();
        let cursor = self.cursor.min(lines.len().saturating_sub(1));
        // from the cursor's line upwards, as far as the screen is high
        let mut first = cursor;
        let mut used = lines.get(cursor).map_or(0, |line| wrap::wrap(line, width).len());
        while first > self.scroll.min(cursor) {
            used += wrap::wrap(&lines[first - 1], width).len();
            if used > height {
                break;
            }
            first -= 1;
        }
        let scroll = first;
        (self.cursor, self.scroll) = (cursor, scroll);
    }

    /// The line that is painted on a row of the body.
    fn line_at(&self, row: usize, width: usize) -> Option<usize> {
        let mut below = row;
        for (nth, line) in self.lines().iter().enumerate().skip(self.scroll) {
            let rows = wrap::wrap(line, width).len();
            if below < rows {
                return Some(nth);
            }
            below -= rows;
        }
        None
    }

    /// The lines of the tab on show.
    pub fn lines(&self) -> &[Line] {
        self.tab().map_or(&[], |tab| &tab.lines)
    }

    /// The tab on show.
    pub fn tab(&self) -> Option<&Tab> {
        let tabs = &self.shown.as_ref()?.tabs;
        tabs.get(self.tab.min(tabs.len().saturating_sub(1)))
    }
}

/// What was asked for while the row or the detail it was meant for was still being read: it is done when that is there,
/// and so are the keys typed after it.
#[derive(Clone, Debug, Default)]
struct Held {
    action: Option<Action>,
    /// The row whose children are waited for, and the load it belongs to.
    row: Option<(u64, NodeId)>,
    keys: Vec<Key>,
}

/// A finding, and what it is about.
type Told = (Arc<Finding>, Option<Subject>);

/// What a finding is about, and the mark of that where it is a directory.
#[derive(Clone, Debug, Default)]
struct Known {
    about: Option<Subject>,
    mark: Option<Mark>,
}

/// The explorer's whole state. Fields are read by the view; only [`Model::update`] changes them.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for itself; no two belong together")]
pub struct Model {
    /// The screen's width in cells.
    pub width: u16,
    /// The screen's height in cells.
    pub height: u16,
    /// The workspace's folder, for the top line.
    pub place: String,
    /// Where the layer begins, or would, from the repository's root.
    layer: String,
    /// A few words about each part, for the top line.
    pub headers: [Vec<String>; 3],
    /// How the room is shared.
    pub arrangement: Arrangement,
    /// The pane with the focus.
    pub focus: PaneId,
    /// Whether the detail has the focus instead.
    pub in_detail: bool,
    /// The panes.
    pub panes: [Pane; 4],
    /// The right-hand side.
    pub detail: DetailView,
    /// What lies over the panes, the innermost last.
    pub dialogs: Vec<Dialog>,
    /// The filter while it is typed.
    pub filter: Option<Input>,
    /// The keys of a sequence typed so far.
    pub typed: Vec<Key>,
    held: Option<Held>,
    /// What the bottom line has to tell.
    pub notice: Option<String>,
    /// What it told when it was looked at last, and how many it has told.
    told_last: Option<String>,
    told_nth: u64,
    /// What a write that runs, or the preview of one, says of itself.
    pub progress: Option<String>,
    /// What can be undone, by name.
    pub undo: Option<String>,
    /// What can be redone, by name.
    pub redo: Option<String>,
    /// What the bottom line offers to do about the last write, until something else is done.
    offer: Option<Action>,
    /// How resources are laid out.
    pub view: ResourceView,
    /// What is tried in each part, in words.
    pub tries: [Vec<String>; 3],
    about: Option<String>,
    from: Option<(String, String)>,
    /// What keys mean.
    pub keymap: Keymap,
    /// The last actions.
    pub trail: Trail,
    /// Whether anything may change on the screen by itself.
    pub motion: bool,
    tasks: tasks::Tasks,
    fresh: fresh::Fresh,
    /// The parts that have been read whole once.
    whole: [bool; 3],
    /// The request that was answered last, for each part.
    answered: [u64; 3],
    /// What was tried last.
    trying: Option<Subject>,
    /// What was tried and may have its row elsewhere once its part is read again.
    stays: [Option<Subject>; 3],
    /// Whether the problems of all three have been.
    all_told: bool,
    /// What is remembered of each pane until it is read.
    recalled: [PaneMemory; 4],
    findings: [Vec<Told>; 3],
    /// What is known of the findings that have rows, so that neither a key nor a frame looks for it among all.
    known: HashMap<Arc<Finding>, Known>,
    generations: [u64; 3],
    generation: u64,
    history: Vec<Subject>,
    undone: Vec<Subject>,
    /// The width of the left column, where somebody has dragged its border.
    pub split: Option<u16>,
    dragging: bool,
    read_only: bool,
    touched: bool,
    leaving: bool,
    effects: Vec<Effect>,
}

impl Model {
    /// An explorer of a workspace, nothing read yet.
    pub fn new(place: impl Into<String>, width: u16, height: u16, read_only: bool) -> Model {
        let pane = || Pane {
            outline: Outline::default(),
            state: PaneState::Loading,
            counts: Vec::new(),
            hint: Advice::default(),
        };
        Model {
            width,
            height,
            place: place.into(),
            layer: ".ai".into(),
            headers: Default::default(),
            arrangement: Arrangement::default(),
            focus: PaneId::Directories,
            in_detail: false,
            panes: [pane(), pane(), pane(), pane()],
            detail: DetailView::default(),
            dialogs: Vec::new(),
            filter: None,
            typed: Vec::new(),
            held: None,
            notice: None,
            told_last: None,
            told_nth: 0,
            progress: None,
            undo: None,
            redo: None,
            offer: None,
            view: ResourceView::default(),
            tries: Default::default(),
            about: None,
            from: None,
            keymap: Keymap::default(),
            trail: Trail::default(),
            motion: true,
            tasks: tasks::Tasks::default(),
            fresh: fresh::Fresh::default(),
            whole: [false; 3],
            answered: [0; 3],
            trying: None,
            stays: [None, None, None],
            all_told: false,
            recalled: Default::default(),
            findings: Default::default(),
            known: HashMap::new(),
            generations: [0; 3],
            generation: 0,
            history: Vec::new(),
            undone: Vec::new(),
            split: None,
            dragging: false,
            read_only,
            touched: false,
            leaving: false,
            effects: Vec::new(),
        }
    }

    /// What to ask for when the explorer opens.
    pub fn begin(&mut self) -> Vec<Effect> {
        for part in Part::ALL {
            self.load(part, None);
        }
        self.asked()
    }

    /// What is asked for, noted.
    fn asked(&mut self) -> Vec<Effect> {
        let effects = std::mem::take(&mut self.effects);
        for effect in &effects {
            self.tasks.asked(effect);
        }
        effects
    }

    /// Where everything is on the screen.
    pub fn layout(&self) -> Layout {
        self.layout_on(self.width, self.height)
    }

    /// Where everything is on a screen of another size: a frame may be of a size that the model has not been told yet.
    pub fn layout_on(&self, width: u16, height: u16) -> Layout {
        lay_out(width, height, self.split, self.arrangement, self.focus)
    }

    /// How many things are tried.
    pub fn tried(&self) -> usize {
        self.tries.iter().map(Vec::len).sum()
    }

    /// Whether nothing is written.
    pub fn read_only(&self) -> bool {
        self.read_only
    }

    /// A pane.
    pub fn pane(&self, id: PaneId) -> &Pane {
        &self.panes[id as usize]
    }

    fn pane_mut(&mut self, id: PaneId) -> &mut Pane {
        &mut self.panes[id as usize]
    }

    /// The row under the cursor of the focused pane.
    pub fn current(&self) -> Option<&Entry> {
        self.pane(self.focus).outline.entry()
    }

    /// Takes in what happened; gives what is to be done about it.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        self.tasks.told(&msg);
        match msg {
            Msg::Key(key) => self.key(key),
            Msg::Paste(text) => self.paste(&text),
            Msg::Mouse(mouse) => self.mouse(mouse),
            Msg::Resize(width, height) => (self.width, self.height) = (width, height),
            Msg::Scrolled(first) => self.scrolled(first),
            Msg::Drawn => {
                self.drawn();
                self.hush();
            }
            Msg::FirstRows { part, generation, outline } => self.first_rows(part, generation, outline),
            Msg::Loaded { part, generation, loaded } => self.loaded(part, generation, loaded),
            Msg::Findings { part, generation, findings, group } if generation == self.generations[part as usize] => {
                self.whole[part as usize] = true;
                // what is being read for a row still finds its row
                self.pane_mut(PaneId::of(part)).outline.append(group);
                self.reported(part, findings);
                self.gather_problems();
                self.detail.asked = None;
            }
            Msg::Children { generation, node, children, to_come } => {
                self.children(generation, node, children, to_come);
            }
            Msg::Detail { generation, detail } if generation == self.detail.generation => {
                let same = self.detail.shown.as_ref().is_some_and(|shown| shown.subject == detail.subject);
                if !same {
                    (self.detail.cursor, self.detail.scroll) = (0, 0);
                }
                self.detail.shown = Some(*detail);
                if self.held.as_ref().is_some_and(|held| held.action.is_some()) {
                    self.release();
                }
            }
            Msg::Candidates { generation, candidates } => self.candidates(generation, candidates),
            Msg::Previewed { generation, preview } => {
                self.progress = None;
                for dialog in &mut self.dialogs {
                    if let Dialog::Plan(plan) = dialog
                        && plan.generation == generation
                        && plan.stage != Stage::Writing
                    {
                        plan.previewed(preview);
                        break;
                    }
                }
            }
            Msg::Written { generation, written } => self.written(generation, written),
            Msg::Progress(text) => self.progress = Some(text),
            Msg::Tries { part, tries } => match tries {
                Ok(tries) => {
                    let list = self.key_of(Action::Tries);
                    self.notice = tries.last().map(|last| format!("tried: {last}; {list} lists the tries"));
                    self.tries[part as usize] = tries;
                    self.stays[part as usize] = self.trying.take();
                    self.load(part, None);
                }
                Err(why) => self.notice = Some(why),
            },
            Msg::Found { generation, found } => {
                let waiting = self.dialogs.iter_mut().find_map(|dialog| match dialog {
                    Dialog::Find(find) if find.generation == generation => Some(find),
                    _ => None,
                });
                if let Some(subject) = waiting.and_then(|find| find.fill(found)) {
                    self.dialogs.pop();
                    self.go(subject);
                }
            }
            Msg::History(lines) => {
                for dialog in &mut self.dialogs {
                    if let Dialog::Tasks { written, .. } = dialog {
                        *written = Some(lines);
                        break;
                    }
                }
            }
            Msg::Way(lines) => self.dialogs.push(Dialog::notice("Why", lines)),
            Msg::Journal { undo, redo } => (self.undo, self.redo) = (undo, redo),
            Msg::Outside(part) => {
                self.notice = Some(match part {
                    Part::Resources => "the registry was changed by another program".into(),
                    Part::Contracts => "files of the layer were changed".into(),
                    Part::Selection => "files of the packages were changed".into(),
                });
                // who changed it may have undone what was written here, or have written since
                self.offer = None;
                self.effects.push(Effect::Journal);
                self.load(part, None);
            }
            Msg::Again(part) => self.load(part, None),
            Msg::Note(text) => self.notice = Some(text),
            Msg::Faded(batch) => self.fresh.fade(batch),
            Msg::Hushed(nth) if nth == self.told_nth => (self.notice, self.leaving) = (None, false),
            Msg::Terminate => self.effects.push(Effect::Quit),
            Msg::Findings { .. } | Msg::Detail { .. } | Msg::Hushed(_) => {}
        }
        self.want_detail();
        self.settle();
        self.asked()
    }

    /// Whether a message can change what is on the screen: not one about what the bottom line does not tell any more.
    pub fn is_news(&self, msg: &Msg) -> bool {
        !matches!(msg, Msg::Hushed(nth) if *nth != self.told_nth || self.notice.is_none())
    }

    /// Has what the bottom line newly tells be taken away a while after it was drawn, so that the keys come back.
    fn hush(&mut self) {
        if self.notice == self.told_last {
            return;
        }
        self.told_last.clone_from(&self.notice);
        self.told_nth += 1;
        if self.motion && self.notice.is_some() {
            self.effects.push(Effect::Hush(self.told_nth));
        }
    }

    /// Keeps every cursor on the screen.
    fn settle(&mut self) {
        let layout = self.layout();
        for (pane, area) in self.panes.iter_mut().zip(layout.panes) {
            pane.outline.settle(area.map_or(0, |area| usize::from(area.height)));
        }
        if let Some(area) = layout.detail {
            self.detail.settle(area);
        }
    }

    fn load(&mut self, part: Part, reveal: Option<Subject>) {
        self.generation += 1;
        self.generations[part as usize] = self.generation;
        let outline = &self.pane(PaneId::of(part)).outline;
        let (mut open, find) = match part {
            Part::Resources => (outline.open_keys(), outline.filter().unwrap_or_default().to_owned()),
            _ => Default::default(),
        };
        if part == Part::Resources {
            open.extend(self.recalled[PaneId::Resources as usize].open.iter().flatten());
        }
        let (generation, view, about) = (self.generation, self.view, self.about.clone());
        self.effects.push(Effect::Load { part, generation, open, reveal, find, view, about });
    }

    /// Shows rows in a pane that has none yet. It still counts as being read.
    fn first_rows(&mut self, part: Part, generation: u64, mut outline: Outline) {
        let id = PaneId::of(part);
        if generation == self.generations[part as usize] && self.pane(id).state == PaneState::Loading {
            outline.recall(&self.recalled[id as usize]);
            self.pane_mut(id).outline = outline;
            if self.filter.is_some() && self.focus == id {
                self.apply_filter();
            }
        }
    }

    fn loaded(&mut self, part: Part, generation: u64, loaded: Result<Box<Loaded>, Box<Failed>>) {
        if generation != self.generations[part as usize] {
            return;
        }
        let id = PaneId::of(part);
        match loaded {
            Ok(loaded) => {
                let Loaded { mut outline, counts, hint, findings, header, reveal, to_come } = *loaded;
                let recalled = std::mem::take(&mut self.recalled[id as usize]);
                // the second answer to a question is no news
                let before = std::mem::replace(&mut self.answered[part as usize], generation);
                let again = before != generation && self.whole[part as usize];
                self.whole[part as usize] |= to_come.is_empty();
                let pane = self.pane_mut(id);
                // by its nodes: a filter may have left no row of them
                let resumes = pane.state == PaneState::Ready && !pane.outline.is_empty();
                if !resumes {
                    outline.recall(&recalled);
                }
                // also the first rows of what was still being read, and where the user has gone on them
                if !pane.outline.is_empty() {
                    outline.resume(&pane.outline);
                }
                let stays = self.stays[part as usize].take();
                let here = |outline: &Outline| outline.entry().map(|entry| entry.subject.clone());
                let pane = self.pane_mut(id);
                if stays.is_some() && here(&pane.outline) == stays && here(&outline) != stays {
                    outline.reveal(|entry| Some(&entry.subject) == stays.as_ref());
                }
                if let Some(reveal) = reveal {
                    outline.reveal(|entry| entry.subject == reveal);
                }
                let pane = std::mem::replace(pane, Pane { outline, state: PaneState::Ready, counts, hint });
                if again && resumes {
                    self.mark_fresh(id, &pane.outline);
                }
                if part == Part::Resources && resumes {
                    self.open_again(&pane.outline, before);
                }
                self.headers[part as usize] = header;
                if self.filter.is_some() && self.focus == id {
                    // typed before there was anything to filter
                    self.apply_filter();
                }
                self.reported(part, findings);
            }
            Err(failed) => {
                self.whole[part as usize] = true;
                let pane = self.pane_mut(id);
                pane.outline = Outline::default();
                pane.counts = vec![("failed".into(), Mark::None)];
                pane.state = PaneState::Failed(failed.lines);
                self.findings[part as usize] = failed.findings.into_iter().map(|finding| (finding, None)).collect();
            }
        }
        self.gather_problems();
        if !self.touched && self.pane(self.focus).state == PaneState::Ready {
            // nobody has chosen a pane yet: one that has something to show is a better place to begin
            let full = |&id: &PaneId| !self.pane(id).outline.rows().is_empty();
            self.focus = Some(self.focus).filter(full).or(PaneId::ALL.into_iter().find(full)).unwrap_or(self.focus);
        }
        // what is on the right may have changed with it
        self.detail.asked = None;
    }

    fn reported(&mut self, part: Part, findings: Vec<Told>) {
        self.findings[part as usize] = findings;
    }

    /// Makes the rows of the Problems pane from what the three parts report, the errors first.
    fn gather_problems(&mut self) {
        let mut groups: BTreeMap<(Severity, &str), Vec<&Told>> = BTreeMap::new();
        for told in self.findings.iter().flatten() {
            groups.entry((told.0.severity, &told.0.code)).or_default().push(told);
        }
        let mut known: HashMap<Arc<Finding>, Known> = HashMap::new();
        let mut outline = Outline::default();
        let (mut errors, mut warnings) = (0, 0);
        for ((severity, code), findings) in &groups {
            let mark = match severity {
                Severity::Error => {
                    errors += findings.len();
                    Mark::Error
                }
                Severity::Warning => {
                    warnings += findings.len();
                    Mark::Warning
                }
                Severity::Note => Mark::Note,
            };
            let heading = Entry::new(Subject::Group((*code).to_owned()), mark, *code, findings.len().to_string());
            let fold = if *severity == Severity::Error { Fold::Open } else { Fold::Closed };
            let group = outline.add(None, heading, fold);
            if findings.len() > MOST_PROBLEMS {
                let more = format!("the first {MOST_PROBLEMS} of {}; dagwood check tells them all", findings.len());
                let subject = Subject::Group(format!("{code} more"));
                outline.add(Some(group), Entry::new(subject, Mark::None, more, ""), Fold::Leaf);
            }
            for (finding, about) in findings.iter().take(MOST_PROBLEMS) {
                known.insert(Arc::clone(finding), Known { about: about.clone(), mark: None });
                let subject = Subject::Finding(Arc::clone(finding));
                let entry = Entry::new(subject, mark, format!("{}  {}", finding.place(), finding.message), "");
                outline.add(Some(group), entry, Fold::Leaf);
            }
        }
        self.mark_known(&mut known);
        self.known = known;
        let read = self.panes_read();
        let touched = self.touched;
        let all = self.whole == [true; 3];
        let pane = &mut self.panes[PaneId::Problems as usize];
        if pane.outline.is_empty() || !touched {
            outline.recall(&self.recalled[PaneId::Problems as usize]);
        } else {
            outline.resume(&pane.outline);
            // who has settled a problem goes on with the next
            outline.go_on_from(&pane.outline, |entry| matches!(entry.subject, Subject::Finding(_)));
        }
        let old = std::mem::replace(&mut pane.outline, outline);
        // the last part that is read for the first time brings no news either
        let news = std::mem::replace(&mut self.all_told, all) && read;
        let pane = &mut self.panes[PaneId::Problems as usize];
        if read {
            pane.state = PaneState::Ready;
        }
        pane.counts = vec![(errors.to_string(), Mark::Error), (warnings.to_string(), Mark::Warning)];
        let nothing = Line::of(Tone::Good, "No problems found.");
        let what = "What breaks a rule, or is likely not meant, in any of the three parts is listed here.";
        let same = "`dagwood check` tells the same on the command line.";
        let full = vec![nothing.clone(), Line::plain(what), Line::of(Tone::Dim, same)];
        pane.hint = Advice { short: vec![nothing], full, file: None };
        if news {
            self.mark_fresh(PaneId::Problems, &old);
        }
    }

    /// Notes the marks of the directories that findings are about, in one walk over all rows.
    fn mark_known(&self, known: &mut HashMap<Arc<Finding>, Known>) {
        let mut about: HashMap<&Subject, Vec<&mut Option<Mark>>> = HashMap::new();
        for Known { about: of, mark } in known.values_mut() {
            if let Some(subject @ Subject::Directory(_)) = of {
                about.entry(subject).or_default().push(mark);
            }
        }
        if about.is_empty() {
            return;
        }
        for (_, node) in self.pane(PaneId::Directories).outline.nodes() {
            for mark in about.get_mut(&node.entry.subject).into_iter().flatten() {
                **mark = Some(node.entry.mark);
            }
        }
    }

    fn panes_read(&self) -> bool {
        Part::ALL.iter().all(|&part| self.pane(PaneId::of(part)).state != PaneState::Loading)
    }

    fn children(
        &mut self,
        generation: u64,
        node: NodeId,
        children: Result<Vec<(Entry, Fold)>, String>,
        to_come: usize,
    ) {
        let row = Some((generation, node));
        let held = self.held.as_ref().is_some_and(|held| held.row == row);
        let shown = generation == self.answered[Part::Resources as usize];
        let view = self.view;
        let outline = &mut self.pane_mut(PaneId::Resources).outline;
        // the row may have gone with another load; its number stands for another one by then
        if !shown || !outline.holds(node) {
            self.held = self.held.take().filter(|_| !held);
            return;
        }
        match children {
            Ok(children) => {
                let children = perform::occurrences(outline, node, children, view);
                outline.graft(node, children, to_come);
            }
            Err(why) => {
                outline.graft(node, [], 0);
                self.notice = Some(why);
            }
        }
        if to_come == 0 && held {
            self.release();
        }
    }

    /// Asks for the children of a row of the resources.
    fn ask_for_children(&mut self, node: NodeId) {
        // the load that the row belongs to: another one may have been asked for
        let generation = self.answered[Part::Resources as usize];
        let upward = self.view == ResourceView::Parents;
        let outline = &mut self.pane_mut(PaneId::Resources).outline;
        let of = outline.node(node).entry.subject.clone();
        outline.reading(node);
        self.effects.push(Effect::Children { generation, node, of, upward });
    }

    /// Asks once more for the children of what was opened while the resources were read.
    fn open_again(&mut self, old: &Outline, before: u64) {
        let held = self.held.as_ref().and_then(|held| held.row).filter(|(generation, _)| *generation == before);
        let held = held.filter(|(_, node)| old.holds(*node)).map(|(_, node)| old.node(node).key);
        for node in self.pane(PaneId::Resources).outline.opened_since(old) {
            self.ask_for_children(node);
            if Some(self.pane(PaneId::Resources).outline.node(node).key) == held {
                let row = Some((self.answered[Part::Resources as usize], node));
                self.held = self.held.take().map(|held| Held { row, ..held });
            }
        }
    }

    fn candidates(&mut self, generation: u64, candidates: Result<Candidates, Vec<Line>>) {
        let waiting = self.dialogs.iter_mut().find_map(|dialog| match dialog {
            Dialog::Picker(picker) if picker.generation == generation => Some(picker),
            _ => None,
        });
        if let Some(request) = waiting.and_then(|picker| picker.fill(candidates)) {
            self.plan(request);
        }
    }

    /// The detail of what is under the cursor, or of there being nothing; none while it is still being made.
    fn told(&self) -> Option<&Detail> {
        let here = self.current().map(|entry| &entry.subject);
        let is_of_this = |detail: &&Detail| match here {
            Some(here) => detail.subject == *here,
            None => matches!(detail.subject, Subject::Group(_)),
        };
        self.detail.shown.as_ref().filter(is_of_this)
    }

    fn want_detail(&mut self) {
        let subject = self.current().map(|entry| entry.subject.clone());
        let asks = !matches!(subject, None | Some(Subject::Group(_)));
        if asks && subject == self.detail.asked {
            return;
        }
        self.detail.asked.clone_from(&subject);
        if self.held.as_ref().is_some_and(|held| held.action.is_some()) {
            self.held = None;
        }
        match subject {
            None | Some(Subject::Group(_)) => {
                let told = self.told_by_itself();
                let subject = |shown: &Option<Detail>| shown.as_ref().map(|shown| shown.subject.clone());
                if subject(&told) != subject(&self.detail.shown) {
                    (self.detail.cursor, self.detail.scroll) = (0, 0);
                }
                self.detail.shown = told;
                // what was asked for before has nothing to say here
                self.generation += 1;
                self.detail.generation = self.generation;
            }
            Some(subject) => {
                self.generation += 1;
                self.detail.generation = self.generation;
                self.effects.push(Effect::Detail { generation: self.generation, subject });
            }
        }
    }
}
