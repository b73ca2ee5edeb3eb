//! What a write will change, as data.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Error;
use crate::text::visible;

/// The folder outside which a write may touch nothing, and where it really was when the write was planned: undoing must
/// not be led elsewhere by a link that came in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    #[serde(with = "path")]
    named: PathBuf,
    #[serde(with = "path")]
    real: PathBuf,
}

impl Root {
    /// A folder as it is now. It need not be there yet.
    pub fn of(folder: &Path) -> Root {
        Root { named: folder.to_owned(), real: real(folder) }
    }

    /// Whether edits may be made: their files lie below the root, no link is on the way, and the root is where it was.
    ///
    /// # Errors
    /// [`Error::Outside`] and [`Error::SymbolicLink`].
    pub fn check(&self, edits: &[FileEdit]) -> Result<(), Error> {
        if !edits.is_empty() && real(&self.named) != self.real {
            return Err(Error::SymbolicLink { file: self.named.clone() });
        }
        edits.iter().try_for_each(|edit| lies_below(&self.named, &edit.file))
    }
}

/// A folder without links in its name, also where the end of it is not there yet.
fn real(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    match found {
        Some((there, real)) => match folder.strip_prefix(there) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => folder.to_owned(),
    }
}

fn lies_below(root: &Path, file: &Path) -> Result<(), Error> {
    let outside = || Error::Outside { file: file.to_owned(), root: root.to_owned() };
    let below = file.strip_prefix(root).map_err(|_| outside())?;
    let mut place = root.to_owned();
    for component in below.components() {
        let Component::Normal(name) = component else { return Err(outside()) };
        place.push(name);
        if place.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink()) {
            return Err(Error::SymbolicLink { file: place });
        }
    }
    Ok(())
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is made where none is.
    Create,
    /// It is there and its content changes.
    Change,
    /// It is taken away (only ever to undo its creation).
    Remove,
}

/// One file before and after; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdit {
    /// The file, absolute.
    #[serde(with = "path")]
    pub file: PathBuf,
    /// What it holds now.
    #[serde(with = "content")]
    pub before: Option<Vec<u8>>,
    /// What it will hold.
    #[serde(with = "content")]
    pub after: Option<Vec<u8>>,
    /// The topmost folder that writing it makes, so that taking it back takes the empty folders away too.
    #[serde(default, with = "path_or_none", skip_serializing_if = "Option::is_none")]
    pub(super) makes: Option<PathBuf>,
}

impl FileEdit {
    /// A file to be made where none is.
    pub fn create(file: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        FileEdit { file: file.into(), before: None, after: Some(content.into()), makes: None }
    }

    /// A file whose content changes.
    pub fn change(file: impl Into<PathBuf>, before: impl Into<Vec<u8>>, after: impl Into<Vec<u8>>) -> Self {
        FileEdit { file: file.into(), before: Some(before.into()), after: Some(after.into()), makes: None }
    }

    /// What happens to the file.
    pub fn kind(&self) -> Kind {
        match (&self.before, &self.after) {
            (None, _) => Kind::Create,
            (Some(_), Some(_)) => Kind::Change,
            (Some(_), None) => Kind::Remove,
        }
    }

    /// The edit that takes this one back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        FileEdit { before: self.after.clone(), after: self.before.clone(), ..self.clone() }
    }

    /// The edit with the folders it would make now.
    pub(super) fn noting_folders(mut self) -> Self {
        let missing = self.file.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err());
        self.makes = missing.last().map(Path::to_owned);
        self
    }

    /// A unified diff, with the file named relative to `root` where it lies below it. Bytes that are not UTF-8 show as
    /// replacement characters; the content is not escaped, the name is, so that it stays on its line.
    pub fn diff(&self, root: &Path) -> String {
        let name = self.file.strip_prefix(root).unwrap_or(&self.file).to_string_lossy();
        let name = visible(&name);
        let before = self.before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let after = self.after.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let old = if self.before.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
        let new = if self.after.is_some() { format!("b/{name}") } else { "/dev/null".to_owned() };
        similar::TextDiff::from_lines(before.as_ref(), after.as_ref()).unified_diff().header(&old, &new).to_string()
    }
}

/// What comes of edits in a few words: `creates .ai/repo/ci/README.md`, `creates 3 files · changes 1 file`.
pub fn effect(edits: &[FileEdit], root: &Path) -> String {
    let verbs = [(Kind::Create, "creates"), (Kind::Change, "changes"), (Kind::Remove, "removes")];
    let said = verbs.into_iter().filter_map(|(kind, verb)| {
        let mut of = edits.iter().filter(|edit| edit.kind() == kind);
        let first = of.next()?;
        Some(match of.count() {
            0 => format!("{verb} {}", first.file.strip_prefix(root).unwrap_or(&first.file).display()),
            others => format!("{verb} {} files", others + 1),
        })
    });
    said.collect::<Vec<_>>().join(" · ")
}

/// A write that has been thought out and not yet done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it does, in a few words, as the undo list names it (`fix .ai/repo/ci`).
    pub label: String,
    /// The folder outside which nothing may be written; no component below it may be a symbolic link.
    pub root: PathBuf,
    /// The files, in the order in which they are written.
    pub edits: Vec<FileEdit>,
}

impl Plan {
    /// Whether the plan may be carried out: its files lie inside its root and no link is on the way.
    ///
    /// # Errors
    /// [`Error::Outside`] and [`Error::SymbolicLink`].
    pub fn check(&self) -> Result<(), Error> {
        self.edits.iter().try_for_each(|edit| lies_below(&self.root, &edit.file))
    }
}

/// A path in JSON: text where it is UTF-8, else its bytes in hex.
pub(super) mod path {
    use std::path::{Path, PathBuf};

    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => to.serialize_str(text),
            None => super::content::serialize(&Some(path.as_os_str().as_encoded_bytes().to_vec()), to),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        use serde::Deserialize;
        use serde::de::Error;

        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(PathBuf),
            Bytes(#[serde(with = "super::content")] Option<Vec<u8>>),
        }
        match Either::deserialize(from)? {
            Either::Text(path) => Ok(path),
            #[cfg(unix)]
            Either::Bytes(Some(bytes)) => {
                use std::os::unix::ffi::OsStringExt;
                Ok(std::ffi::OsString::from_vec(bytes).into())
            }
            Either::Bytes(_) => Err(D::Error::custom("not a path")),
        }
    }
}

/// The same, for a path that may be missing.
mod path_or_none {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Whole(#[serde(with = "super::path")] PathBuf);

    #[expect(clippy::ref_option, reason = "the form serde calls")]
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        path.clone().map(Whole).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Whole>::deserialize(from)?.map(|Whole(path)| path))
    }
}

/// Bytes in JSON: text where they are UTF-8, else hex; `null` for no file.
mod content {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Content {
        Text(String),
        Hex(String),
    }

    #[expect(clippy::ref_option, reason = "the form serde calls")]
    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        bytes
            .as_deref()
            .map(|bytes| match std::str::from_utf8(bytes) {
                Ok(text) => Content::Text(text.to_owned()),
                Err(_) => Content::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            })
            .serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        Option::<Content>::deserialize(from)?
            .map(|content| match content {
                Content::Text(text) => Ok(text.into_bytes()),
                Content::Hex(hex) => hex
                    .as_bytes()
                    .chunks(2)
                    .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
                    .collect::<Option<_>>()
                    .ok_or_else(|| D::Error::custom("not hexadecimal")),
            })
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive_the_journal() {
        for bytes in [&b"text\r\n"[..], b"\xff\x00\xfe", b""] {
            let edit = FileEdit::create("/x", bytes);
            let back: FileEdit = serde_json::from_str(&serde_json::to_string(&edit).unwrap()).unwrap();
            assert_eq!(back, edit);
        }
    }

    #[cfg(unix)]
    #[test]
    fn any_path_survives_the_journal() {
        use std::os::unix::ffi::OsStrExt;
        for bytes in [&b"/plain"[..], b"/latin\xe9", b"/new\nline"] {
            let file = Path::new(std::ffi::OsStr::from_bytes(bytes));
            let edit = FileEdit { makes: Some(file.to_owned()), ..FileEdit::create(file, "x") };
            let back: FileEdit = serde_json::from_str(&serde_json::to_string(&edit).unwrap()).unwrap();
            assert_eq!(back, edit);
        }
    }

    #[test]
    fn nothing_is_planned_outside_the_root() {
        let plan = |file: &str| Plan {
            label: String::new(),
            root: "/nowhere/root".into(),
            edits: vec![FileEdit::create(file, "x")],
        };
        assert!(plan("/nowhere/root/a/b").check().is_ok());
        assert!(matches!(plan("/nowhere/root/../b").check(), Err(Error::Outside { .. })));
        assert!(matches!(plan("/nowhere/rooted/b").check(), Err(Error::Outside { .. })));
    }

    #[test]
    fn a_diff_names_the_file_from_the_root() {
        let edit = FileEdit::change("/r/a.md", "one\ntwo\n", "one\n2\n");
        let broken = FileEdit::create("/r/a\n::error::x", "x\n").diff(Path::new("/r"));
        assert!(broken.contains("+++ b/a\\n::error::x\n@@"), "{broken}");
        assert_eq!(edit.diff(Path::new("/r")), "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    }
}
