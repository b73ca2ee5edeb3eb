//! The log: what came in, what was asked for, what failed, each with its time; only where `DAGWOOD_LOG` names a file.
//!
//! Nothing that is typed or copied stands in it, and nothing that a write's form holds: messages and effects are told by
//! their names and by what cannot have been typed.

use std::fmt::{self, Debug, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::model::{Effect, Line, Msg, Trail};
use crate::text::visible;

/// A log, or none.
#[derive(Debug, Default)]
pub struct Log {
    file: Option<File>,
    seen: usize,
}

impl Log {
    /// A log at the end of a file, which is made where there is none.
    ///
    /// # Errors
    /// When the file cannot be written to.
    pub fn to(file: &Path) -> io::Result<Log> {
        let file = File::options().append(true).create(true).open(file)?;
        let mut log = Log { file: Some(file), seen: 0 };
        log.write("begin", &format!("dagwood {}", env!("CARGO_PKG_VERSION")));
        Ok(log)
    }

    /// Notes what comes in.
    pub fn message(&mut self, message: &Msg) {
        if self.file.is_some() {
            self.write("message", &told(message));
        }
        match message {
            Msg::Loaded { loaded: Err(failed), .. } => self.error(&text(&failed.lines)),
            Msg::Children { children: Err(why), .. } => self.error(why),
            Msg::Note(text) => self.write("note", text),
            _ => {}
        }
    }

    /// Notes what has been done since the last time.
    pub fn actions(&mut self, trail: &Trail) {
        if self.file.is_none() {
            return;
        }
        let (seen, new) = trail.since(self.seen);
        self.seen = seen;
        for action in new {
            self.write("action", action.spec().name);
        }
    }

    /// Notes what is asked for.
    pub fn effect(&mut self, effect: &Effect) {
        if self.file.is_some() {
            self.write("effect", &asked(effect));
        }
    }

    /// Notes what failed.
    pub fn error(&mut self, text: &str) {
        self.write("error", text);
    }

    /// Writes a line; where that fails the log ends, since the explorer is worth more.
    fn write(&mut self, kind: &str, text: &str) {
        let Some(file) = &mut self.file else { return };
        let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6fZ");
        if file.write_all(format!("{at} {kind:<7} {}\n", visible(text)).as_bytes()).is_err() {
            self.file = None;
        }
    }
}

fn told(message: &Msg) -> String {
    let name = name(message);
    match message {
        Msg::Paste(text) => format!("{name} of {} bytes", text.len()),
        Msg::Mouse(mouse) => format!("{name} {:?} at {},{}", mouse.kind, mouse.x, mouse.y),
        Msg::Resize(width, height) => format!("{name} {width}x{height}"),
        Msg::Loaded { part, generation, loaded } => {
            format!("{name} {part:?} {generation} {}", if loaded.is_ok() { "read" } else { "failed" })
        }
        Msg::Children { generation, node, .. } => format!("{name} {generation} of row {node}"),
        Msg::Detail { generation, .. } => format!("{name} {generation}"),
        Msg::Candidates { generation, candidates } => format!("{name} {generation} {}", done(candidates)),
        Msg::Previewed { generation, preview } => format!("{name} {generation} {}", done(preview)),
        Msg::Written { generation, written } => format!("{name} {generation} {}", done(written)),
        Msg::Outside(part) => format!("{name} {part:?}"),
        _ => name,
    }
}

fn asked(effect: &Effect) -> String {
    let name = name(effect);
    match effect {
        Effect::Load { part, generation, open, .. } => format!("{name} {part:?} {generation}, {} open", open.len()),
        Effect::Children { generation, node, .. } => format!("{name} {generation} of row {node}"),
        Effect::Detail { generation, subject } => format!("{name} {generation} of a {}", self::name(subject)),
        Effect::Candidates { generation, .. } => format!("{name} {generation}"),
        Effect::Preview { generation, request } | Effect::Write { generation, request } => {
            format!("{name} {generation} of {}", self::name(request))
        }
        Effect::Copy { text, .. } => format!("{name} of {} bytes", text.len()),
        Effect::Edit(file, line) => format!("{name} {}:{line}", file.display()),
        _ => name,
    }
}

fn done<T, E>(result: &Result<T, E>) -> &'static str {
    if result.is_ok() { "done" } else { "refused" }
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(Line::text).collect::<Vec<_>>().join("; ")
}

/// The name of a variant, without what it holds, which may be long and may be private.
fn name(value: &impl Debug) -> String {
    struct First(String);
    impl fmt::Write for First {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.find(|c: char| !c.is_alphanumeric());
            self.0.push_str(&text[..end.unwrap_or(text.len())]);
            // an error ends the telling at the end of the name
            if end.is_some() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut first = First(String::new());
    let _ = write!(first, "{value:?}");
    first.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::model::{Action, Key, Request};

    #[test]
    fn a_variant_is_told_by_its_name() {
        assert_eq!(name(&Msg::Drawn), "Drawn");
        assert_eq!(name(&Msg::Key(Key::char('x'))), "Key");
        assert_eq!(name(&Effect::Copy { text: "secret".into(), what: "path".into() }), "Copy");
    }

    #[test]
    fn what_is_typed_or_copied_is_not_in_it() {
        let secret = "hunter2";
        for message in [
            Msg::Paste(secret.into()),
            Msg::Key(Key::char('h')),
            Msg::Previewed { generation: 1, preview: Err(vec![Line::plain(secret)]) },
        ] {
            let told = told(&message);
            assert!(!told.contains(secret) && !told.ends_with('h'), "{told}");
        }
        let request = Request::Link { parent: secret.into(), children: Vec::new() };
        for effect in [
            Effect::Copy { text: secret.into(), what: "path".into() },
            Effect::Write { generation: 4, request: request.clone() },
            Effect::Preview { generation: 1, request },
            Effect::Way { from: secret.into(), to: secret.into() },
        ] {
            assert!(!asked(&effect).contains(secret), "{}", asked(&effect));
        }
    }

    #[test]
    fn lines_have_a_time_a_kind_and_a_text() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("log");
        let mut log = Log::to(&file).unwrap();
        let trail = Trail::default();
        trail.note(Action::Down);
        log.message(&Msg::Resize(80, 24));
        log.actions(&trail);
        log.actions(&trail);
        log.effect(&Effect::Quit);
        log.error("no\nroom");
        let text = std::fs::read_to_string(file).unwrap();
        let said: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        let version = format!("begin   dagwood {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            said,
            [version.as_str(), "message Resize 80x24", "action  down", "effect  Quit", "error   no\\nroom"]
        );
        assert!(text.lines().all(|line| line.as_bytes()[10] == b'T' && line.contains("Z ")));
        let mut off = Log::default();
        off.message(&Msg::Drawn);
        off.error("nobody hears this");
    }
}
