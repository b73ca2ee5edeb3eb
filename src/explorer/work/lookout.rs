//! What a registry's file was like when it was read, so that a glance at it tells whether it is to be read again. The file
//! is never opened for that: closing it would take away the locks of this program's connections.

use std::fs::{Metadata, Permissions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::resources::{Error, Registry};

/// Which file it is that has a name: a registry that is deleted, or replaced by another, is otherwise read on as it was.
/// The number of a file that is open is given to no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(u64, u64);

impl FileId {
    /// The file that has a name now; none where there is none.
    pub fn of(file: &Path) -> Option<FileId> {
        file.metadata().ok().map(|meta| FileId::by(&meta))
    }

    #[cfg(unix)]
    fn by(meta: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt;
        FileId(meta.dev(), meta.ino())
    }

    #[cfg(not(unix))]
    fn by(_meta: &Metadata) -> FileId {
        // a file that is open cannot be replaced here
        FileId(0, 0)
    }
}

/// What is seen of a file that is not kept open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    file: Option<(FileId, Written, Permissions)>,
    /// The log beside it, which looking at a registry may make, but never fills.
    log: Option<Written>,
}

/// How long a file is, and when it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written(u64, Option<SystemTime>);

impl Written {
    fn by(meta: &Metadata) -> Written {
        Written(meta.len(), meta.modified().ok())
    }
}

impl Stamp {
    /// What is seen of a file now.
    pub fn of(file: &Path) -> Stamp {
        let mut log = file.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log).metadata().ok().filter(|meta| meta.len() > 0);
        Stamp {
            file: file.metadata().ok().map(|meta| (FileId::by(&meta), Written::by(&meta), meta.permissions())),
            log: log.map(|meta| Written::by(&meta)),
        }
    }
}

/// What the last load found.
#[derive(Debug, Default)]
pub enum Seen {
    /// Nothing was loaded yet, or that it is to be loaded again has been told.
    #[default]
    Nothing,
    /// A registry, with the number that SQLite changes when others commit.
    Open(Option<FileId>, i64),
    /// None, an empty file, or one that cannot be read.
    Closed(Stamp),
    /// Another program kept it locked for too long.
    Busy,
}

/// What a glance tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Others changed it.
    Changed,
    /// It may be free by now.
    TryAgain,
}

impl Seen {
    /// What a load found that failed, the file being like this before.
    pub fn failed(error: &Error, before: Stamp) -> Seen {
        if matches!(error, Error::Busy { .. }) { Seen::Busy } else { Seen::Closed(before) }
    }

    /// What is new since the load.
    pub fn glance(&self, file: &Path, registry: Option<&Registry>) -> Option<News> {
        let changed = match self {
            Seen::Nothing => false,
            Seen::Open(id, version) => {
                let now = registry.and_then(|registry| registry.data_version().ok());
                now != Some(*version) || FileId::of(file) != *id
            }
            Seen::Closed(stamp) => Stamp::of(file) != *stamp,
            Seen::Busy => return Some(News::TryAgain),
        };
        changed.then_some(News::Changed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::super::desk::Clerk;
    use super::super::resources::Resources;
    use super::super::{load, share};
    use crate::explorer::model::{Keymap, Loaded, Msg, Part};
    use crate::workspace::{Options, Workspace};

    /// A clerk who reads the registry of a folder, and what it says.
    struct Reader {
        dir: tempfile::TempDir,
        clerk: Resources,
        told: (Sender<Msg>, Receiver<Msg>),
    }

    impl Reader {
        fn new() -> Reader {
            let dir = tempfile::tempdir().unwrap();
            let clerk = Resources::new(share(workspace(&dir, "registry.db"), Keymap::default()));
            Reader { dir, clerk, told: channel() }
        }

        fn file(&self) -> std::path::PathBuf {
            self.dir.path().join("registry.db")
        }

        /// A registry with so many resources under another name.
        fn other(&self, resources: usize) -> std::path::PathBuf {
            let workspace = workspace(&self.dir, "other.db");
            drop(workspace.registry_to_write().unwrap());
            let connection = connect(&workspace.registry_file());
            connection.execute_batch("BEGIN").unwrap();
            (0..resources).for_each(|at| add(&connection, at));
            connection.execute_batch("COMMIT").unwrap();
            workspace.registry_file()
        }

        fn load(&mut self) -> Option<Loaded> {
            self.clerk.work(load(Part::Resources), &self.told.0);
            match self.told.1.try_recv() {
                Ok(Msg::Loaded { loaded, .. }) => loaded.ok().map(|loaded| *loaded),
                other => panic!("{other:?}"),
            }
        }

        /// How many resources a load shows.
        fn shown(&mut self) -> Option<usize> {
            self.load().map(|loaded| loaded.outline.nodes().count())
        }

        fn glance(&mut self) -> Option<Msg> {
            self.clerk.glance(&self.told.0);
            self.told.1.try_recv().ok()
        }

        fn has_news(&mut self) -> bool {
            match self.glance() {
                None => false,
                Some(Msg::Outside(Part::Resources)) => true,
                other => panic!("{other:?}"),
            }
        }
    }

    fn workspace(dir: &tempfile::TempDir, name: &str) -> Workspace {
        let registry = Some(dir.path().join(name));
        let options = Options { directory: Some(dir.path().to_owned()), registry, ..Options::default() };
        Workspace::find(options).unwrap()
    }

    fn connect(file: &std::path::Path) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.busy_timeout(Duration::from_mins(1)).unwrap();
        connection
    }

    fn add(connection: &rusqlite::Connection, at: usize) {
        let sql = "INSERT INTO resources(resource_id, name, resource_type_name, created_at)
                   VALUES (?1, ?2, 'fs-directory', '2026-01-01T00:00:00Z')";
        connection.execute(sql, [format!("01{at:024}"), format!("n{at}")]).unwrap();
    }

    #[test]
    fn a_registry_that_could_not_be_read_is_read_once_it_is_another_or_has_changed() {
        let mut reader = Reader::new();
        let (file, good) = (reader.file(), reader.other(3));
        std::fs::write(&file, "no registry, as far as anybody knows").unwrap();
        assert!(reader.load().is_none());
        // it is looked at again and again, and told about only when there is something to tell
        let often = reader.clerk.patience();
        assert!(!reader.has_news() && often < Duration::from_secs(1), "{often:?}");
        std::fs::write(&file, "nor this").unwrap();
        assert!(reader.has_news(), "written over");
        assert!(!reader.has_news(), "told twice");
        assert!(reader.load().is_none());
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&file, permissions).unwrap();
        assert!(reader.has_news(), "others may be let in");
        assert!(reader.load().is_none());
        std::fs::rename(&good, &file).unwrap();
        assert!(reader.has_news(), "replaced");
        assert_eq!(reader.shown(), Some(3));
        assert!(!reader.has_news());
    }

    #[cfg(unix)]
    #[test]
    fn a_registry_whose_folder_could_not_be_looked_into_is_read_once_it_is_there() {
        let mut reader = Reader::new();
        let (file, good) = (reader.file(), reader.other(1));
        std::fs::create_dir(&file).unwrap();
        assert!(reader.load().is_none() && !reader.has_news());
        std::fs::remove_dir(&file).unwrap();
        std::fs::rename(&good, &file).unwrap();
        assert!(reader.has_news());
        assert_eq!(reader.shown(), Some(1));
    }

    #[test]
    fn an_empty_file_is_no_registry_and_no_news_until_it_becomes_one() {
        let mut reader = Reader::new();
        let file = reader.file();
        assert_eq!(reader.shown(), Some(0));
        assert!(!reader.has_news());
        std::fs::write(&file, "").unwrap();
        assert!(reader.has_news(), "it begins");
        for _ in 0..3 {
            assert_eq!(reader.shown(), Some(0));
            assert!(!reader.has_news(), "nothing changed");
        }
        // a database without tables, whose first ones are only in its log
        let other = connect(&file);
        other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t(a); DROP TABLE t").unwrap();
        assert!(reader.has_news());
        for _ in 0..3 {
            assert_eq!(reader.shown(), Some(0));
            assert!(!reader.has_news(), "nothing changed");
        }
        other.execute_batch("CREATE TABLE t(a)").unwrap();
        assert!(reader.has_news());
    }

    #[test]
    fn a_registry_that_was_locked_is_tried_again_until_it_is_free() {
        let mut reader = Reader::new();
        let (file, good) = (reader.file(), reader.other(2));
        std::fs::rename(&good, &file).unwrap();
        let other = connect(&file);
        other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
        assert!(reader.load().is_none());
        assert!(reader.clerk.patience() <= Duration::from_secs(1));
        assert!(matches!(reader.glance(), Some(Msg::Again(Part::Resources))));
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(reader.shown(), Some(2));
        assert!(!reader.has_news());
    }

    #[test]
    fn what_is_committed_while_a_registry_is_read_is_shown_or_told() {
        // enough for a load to take longer than a commit
        const ROWS: usize = 500;
        let mut reader = Reader::new();
        let (file, good) = (reader.file(), reader.other(ROWS));
        std::fs::rename(&good, &file).unwrap();
        let file = &file;
        for round in ROWS..ROWS + 100 {
            let shown = std::thread::scope(|scope| {
                scope.spawn(move || add(&connect(file), round));
                reader.shown()
            });
            assert!(shown == Some(round + 1) || reader.has_news(), "round {round}: {shown:?}");
        }
    }
}
