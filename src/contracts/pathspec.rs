//! Git's pathspecs, as far as one path can be judged by one: plain paths, patterns, and the magic words `top`, `glob`,
//! `literal` and `icase`. One that excludes, or asks for attributes, covers nothing by itself.

use globset::GlobBuilder;

/// Whether a pathspec covers a path, relative to the top of the repository.
pub(super) fn covers(spec: &str, path: &str) -> bool {
    let Some(Spec { pattern, glob, literal, icase }) = Spec::of(spec) else { return false };
    let (pattern, path) =
        if icase { (pattern.to_lowercase(), path.to_lowercase()) } else { (pattern.to_owned(), path.to_owned()) };
    let plain = pattern.strip_prefix("./").unwrap_or(&pattern).trim_end_matches('/');
    if plain.is_empty() || plain == "." {
        return true;
    }
    if path.strip_prefix(plain).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return true;
    }
    if literal || !is_pattern(plain) {
        return false;
    }
    let built = GlobBuilder::new(plain).literal_separator(glob).backslash_escape(true).build();
    built.is_ok_and(|glob| glob.compile_matcher().is_match(&path))
}

/// Whether a pathspec is a plain path: no pattern, no magic.
pub(super) fn is_plain(spec: &str) -> bool {
    !spec.starts_with(':') && !is_pattern(spec)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '\\'])
}

struct Spec<'a> {
    pattern: &'a str,
    glob: bool,
    literal: bool,
    icase: bool,
}

impl Spec<'_> {
    fn of(spec: &str) -> Option<Spec<'_>> {
        let mut read = Spec { pattern: spec, glob: false, literal: false, icase: false };
        if let Some(rest) = spec.strip_prefix(":(") {
            let (words, pattern) = rest.split_once(')')?;
            for word in words.split(',').filter(|word| !word.is_empty()) {
                match word {
                    "top" => {}
                    "glob" => read.glob = true,
                    "literal" => read.literal = true,
                    "icase" => read.icase = true,
                    _ => return None,
                }
            }
            read.pattern = pattern;
        } else if let Some(rest) = spec.strip_prefix(':') {
            read.pattern = rest.trim_start_matches('/');
            if read.pattern.starts_with(['!', '^']) {
                return None;
            }
        }
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pathspec_covers_as_git_has_it() {
        for (spec, path) in [
            ("lib", "lib/a/b.sh"),
            ("lib/", "lib/a"),
            ("lib/a.sh", "lib/a.sh"),
            ("*.sh", "lib/a.sh"),
            ("lib/*", "lib/a/b"),
            (":(glob)lib/**/b", "lib/a/b"),
            (":/lib", "lib/a"),
            (":(icase)LIB", "lib/a"),
            (".", "anything"),
        ] {
            assert!(covers(spec, path), "{spec} {path}");
        }
        for (spec, path) in [
            ("lib", "library/a"),
            ("lib/a", "lib"),
            ("*.sh", "a.rs"),
            (":(glob)lib/*", "lib/a/b"),
            (":(literal)*.sh", "a.sh"),
            (":!lib", "src"),
            (":(attr:x)lib", "lib"),
        ] {
            assert!(!covers(spec, path), "{spec} {path}");
        }
    }
}
