//! The pattern of a rule: a glob on the name of a directory's entry, and the kind of entries it speaks of.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// The kind of a directory's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// Anything else that is no symbolic link.
    File,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    glob: GlobMatcher,
    only: Option<EntryKind>,
    dots: bool,
}

impl Pattern {
    /// The pattern of a rule for children of a type: a trailing `/` means directories only; without it, files for
    /// `*-file` types, directories for `*-directory` types, both otherwise. Dot-entries match only when the pattern
    /// begins with a dot.
    ///
    /// # Errors
    /// What is wrong with the glob.
    ///
    /// ```
    /// use dagwood::resources::{EntryKind, Pattern};
    /// let pattern = Pattern::new("*/", "fs-directory").unwrap();
    /// assert!(pattern.matches("src".as_ref(), EntryKind::Directory));
    /// assert!(!pattern.matches("src".as_ref(), EntryKind::File));
    /// assert!(!pattern.matches(".git".as_ref(), EntryKind::Directory));
    /// assert!(Pattern::new("[", "fs-file").is_err());
    /// ```
    pub fn new(pattern: &str, child_type: &str) -> Result<Pattern, String> {
        let (glob, only) = match pattern.strip_suffix('/') {
            Some(glob) => (glob, Some(EntryKind::Directory)),
            None if child_type.ends_with("-file") => (pattern, Some(EntryKind::File)),
            None if child_type.ends_with("-directory") => (pattern, Some(EntryKind::Directory)),
            None => (pattern, None),
        };
        if glob.is_empty() {
            return Err("an empty glob matches nothing".to_owned());
        }
        // a backslash escapes everywhere, also where it separates paths: a pattern speaks of one name
        let compiled = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
        let glob_matcher = compiled.map_err(|error| error.kind().to_string())?.compile_matcher();
        Ok(Pattern { glob: glob_matcher, only, dots: glob.starts_with('.') || glob.starts_with("\\.") })
    }

    /// Whether an entry of this name and kind matches.
    pub fn matches(&self, name: &Path, kind: EntryKind) -> bool {
        let hidden = name.as_os_str().as_encoded_bytes().first() == Some(&b'.');
        self.only.is_none_or(|only| only == kind) && (self.dots || !hidden) && self.glob.is_match(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, child_type: &str, name: &str, kind: EntryKind) -> bool {
        Pattern::new(pattern, child_type).unwrap().matches(Path::new(name), kind)
    }

    #[test]
    fn the_type_says_the_kind_where_the_pattern_does_not() {
        use EntryKind::{Directory, File};
        assert!(matches("*", "fs-file", "a", File) && !matches("*", "fs-file", "a", Directory));
        assert!(matches("*", "fs-directory", "a", Directory) && !matches("*", "fs-directory", "a", File));
        assert!(matches(".git", "git", ".git", Directory) && matches(".git", "git", ".git", File));
        assert!(matches(".git/", "git", ".git", Directory) && !matches(".git/", "git", ".git", File));
    }

    #[test]
    fn case_and_dots_count() {
        use EntryKind::File;
        assert!(!matches("readme*", "fs-file", "README.md", File));
        assert!(!matches("*", "fs-file", ".env", File));
        assert!(matches(".*", "fs-file", ".env", File) && !matches(".*", "fs-file", "env", File));
    }

    #[cfg(unix)]
    #[test]
    fn any_bytes_may_be_a_name() {
        use std::os::unix::ffi::OsStrExt;
        let name = Path::new(std::ffi::OsStr::from_bytes(b"a\xff\nb"));
        assert!(Pattern::new("*", "fs-file").unwrap().matches(name, EntryKind::File));
    }
}
