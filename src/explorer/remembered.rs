//! Where what is remembered of an explorer lies: a file in the workspace's folder of the state directory, beside the
//! journal. It is never worth an error: what cannot be read is not remembered, and what cannot be written is not either.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::model::Memory;
use crate::bounded;

/// How long a file can be that dagwood has written.
const LONGEST: u64 = 1 << 20;

/// The file of a workspace's folder.
pub fn file(home: &Path) -> PathBuf {
    home.join("explorer.json")
}

/// What is remembered in a file; none where it is not there, broken or of another form.
pub fn read(file: &Path) -> Option<Memory> {
    let text = bounded::read(file, LONGEST).ok()?;
    Memory::parse(std::str::from_utf8(&text).ok()?)
}

/// Writes what is to be remembered, whole or not at all.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn write(file: &Path, memory: &Memory) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(memory.text().as_bytes())?;
    new.persist(file).map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::model::Model;

    #[test]
    fn what_is_written_is_read_and_what_is_broken_is_not() {
        let home = tempfile::tempdir().unwrap();
        let file = file(&home.path().join("of/a/workspace"));
        assert_eq!(read(&file), None);
        let memory = Model::new("~", 80, 24, false).memory();
        write(&file, &memory).unwrap();
        assert_eq!(read(&file), Some(memory.clone()));
        write(&file, &memory).unwrap();
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
        fs::write(&file, "{\"form\":").unwrap();
        assert_eq!(read(&file), None);
        fs::write(&file, b"\xff").unwrap();
        assert_eq!(read(&file), None);
    }
}
