//! The report of a crash: what somebody needs who is to mend it, and nothing of the user's files.

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

use super::model::Trail;

/// What a report will be made of, known before anything happens.
#[derive(Clone, Debug)]
pub struct Crash {
    /// The folder that reports go to.
    pub folder: PathBuf,
    /// The workspace.
    pub place: PathBuf,
    /// The last actions.
    pub trail: Trail,
}

impl Crash {
    /// Writes the report of a panic; gives its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn report(&self, info: &PanicHookInfo<'_>) -> io::Result<PathBuf> {
        let size = crossterm::terminal::size().unwrap_or_default();
        let (_, actions) = self.trail.since(0);
        let actions: Vec<&str> = actions.into_iter().map(|action| action.spec().name).collect();
        let at = jiff::Timestamp::now();
        let home = etcetera::home_dir().ok();
        let facts = Facts {
            time: &at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            place: &self.place,
            panic: &info.to_string(),
            size,
            actions: &actions,
            backtrace: &Backtrace::force_capture().to_string(),
            home: home.as_deref(),
        };
        self.write(&at.strftime("%Y%m%dT%H%M%SZ").to_string(), &facts.text())
    }

    /// Writes a text to a new file, and never over another report.
    fn write(&self, time: &str, text: &str) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        for nth in 1.. {
            let more = if nth == 1 { String::new() } else { format!("-{nth}") };
            let path = self.folder.join(format!("crash-{time}{more}.txt"));
            match File::options().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && nth < 100 => {}
                file => return file?.write_all(text.as_bytes()).map(|()| path),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// What stands in a report.
struct Facts<'a> {
    time: &'a str,
    place: &'a Path,
    panic: &'a str,
    size: (u16, u16),
    actions: &'a [&'a str],
    backtrace: &'a str,
    home: Option<&'a Path>,
}

impl Facts<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "dagwood {}\ntime       {}\nsystem     {} {}\nworkspace  {}\nterminal   {}x{}\nactions    {}\n\n{}\n\n",
            env!("CARGO_PKG_VERSION"),
            self.time,
            std::env::consts::OS,
            std::env::consts::ARCH,
            self.place.display(),
            self.size.0,
            self.size.1,
            if self.actions.is_empty() { "none".to_owned() } else { self.actions.join(" ") },
            self.panic,
        );
        for line in self.backtrace.lines() {
            // writing to a string cannot fail
            let _ = writeln!(text, "{}", short(line));
        }
        match self.home.and_then(Path::to_str).filter(|home| home.len() > 1) {
            Some(home) => text.replace(home, "~"),
            None => text,
        }
    }
}

/// A line of a backtrace, without the folders in which the program was built.
fn short(line: &str) -> String {
    match (line.trim_start().strip_prefix("at "), line.rfind("/src/")) {
        (Some(_), Some(at)) => format!("             at {}", &line[at + 1..]),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_happened_and_nothing_of_other_places() {
        let facts = Facts {
            time: "2026-11-30T09:00:00Z",
            place: Path::new("/home/ann/src/atlas"),
            panic: "panicked at src/explorer/x.rs:1:2:\nno such row",
            size: (80, 24),
            actions: &["down", "link"],
            backtrace: "   0: dagwood::run\n             at /build/key/dagwood/src/explorer/x.rs:1:2",
            home: Some(Path::new("/home/ann")),
        };
        let text = facts.text();
        for part in [
            concat!("dagwood ", env!("CARGO_PKG_VERSION"), "\n"),
            "workspace  ~/src/atlas\n",
            "terminal   80x24\n",
            "actions    down link\n",
            "\nno such row\n",
            "   0: dagwood::run\n             at src/explorer/x.rs:1:2\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("/build") && !text.contains("ann"), "{text}");
    }

    #[test]
    fn no_report_is_written_over_another() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("state");
        let crash = Crash { folder: folder.clone(), place: PathBuf::new(), trail: Trail::default() };
        assert_eq!(crash.write("now", "one").unwrap(), folder.join("crash-now.txt"));
        assert_eq!(crash.write("now", "two").unwrap(), folder.join("crash-now-2.txt"));
        assert_eq!(fs::read_to_string(folder.join("crash-now.txt")).unwrap(), "one");
    }
}
