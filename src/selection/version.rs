//! Version constraints of `mars.toml`, as far as a locked version can be held against them. Pure.

use semver::{Comparator, Op, Version, VersionReq};

/// Whether a constraint allows a locked version; `None` when one of the two is a branch, a commit or no version.
///
/// Empty or `latest` allows all; `v1.2.3` that one; `v2` and `v2.1` what begins so; else a semver requirement.
///
/// ```
/// use dagwood::selection::version::allows;
/// assert_eq!(allows(">=0.7.0, <0.8.0", "v0.7.4"), Some(true));
/// assert_eq!(allows("v2.1", "2.2.0"), Some(false));
/// assert_eq!(allows("main", "v1.0.0"), None);
/// ```
pub fn allows(constraint: &str, locked: &str) -> Option<bool> {
    let constraint = constraint.trim();
    if constraint.is_empty() || constraint == "latest" {
        return Some(true);
    }
    let locked = Version::parse(locked.strip_prefix('v').unwrap_or(locked)).ok()?;
    let requirement = match constraint.strip_prefix('v') {
        Some(tag) => tagged(tag)?,
        None => VersionReq::parse(constraint).ok()?,
    };
    Some(requirement.matches(&locked))
}

/// `1.2.3` exactly, `1.2` any such, `1` any such.
fn tagged(tag: &str) -> Option<VersionReq> {
    if let Ok(exact) = Version::parse(tag) {
        let comparator = Comparator {
            op: Op::Exact,
            major: exact.major,
            minor: Some(exact.minor),
            patch: Some(exact.patch),
            pre: exact.pre,
        };
        return Some(VersionReq { comparators: vec![comparator] });
    }
    let mut parts = tag.split('.').map(|part| part.parse::<u64>().ok());
    let (major, minor, more) = (parts.next()??, parts.next(), parts.next());
    let minor = match (minor, more) {
        (None, _) => None,
        (Some(minor), None) => Some(minor?),
        (Some(_), Some(_)) => return None,
    };
    let op = if minor.is_some() { Op::Tilde } else { Op::Caret };
    // `^0` is any 0.x in this crate, as is wanted
    let comparator = Comparator { op, major, minor, patch: None, pre: semver::Prerelease::EMPTY };
    Some(VersionReq { comparators: vec![comparator] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_constraint() {
        let yes = [
            ("", "v1.0.0"),
            ("latest", "whatever"),
            ("v1.2.3", "v1.2.3"),
            ("v2", "2.9.1"),
            ("v0", "0.4.0"),
            ("v2.1", "v2.1.9"),
            ("^1.0", "1.5.0"),
            ("~1.2", "1.2.9"),
            ("=1.2.3", "v1.2.3"),
        ];
        for (constraint, locked) in yes {
            assert_eq!(allows(constraint, locked), Some(true), "{constraint} {locked}");
        }
        let no =
            [("v1.2.3", "v1.2.4"), ("v2", "3.0.0"), ("v2.1", "2.2.0"), (">=0.7, <0.8", "0.8.1"), ("~1.2", "1.3.0")];
        for (constraint, locked) in no {
            assert_eq!(allows(constraint, locked), Some(false), "{constraint} {locked}");
        }
        for (constraint, locked) in [("main", "1.0.0"), ("v2", "main"), ("vx", "1.0.0"), ("v1.2.3.4", "1.2.3")] {
            assert_eq!(allows(constraint, locked), None, "{constraint} {locked}");
        }
    }
}
