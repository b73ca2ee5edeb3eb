//! The words of the DAG as data: ids, resources, links, and what a screen shows of them.

use std::fmt;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// How many characters an id has.
const ID_LENGTH: usize = 26;

/// The id of a resource: opaque when read, a ULID when dagwood made it. Cheap to clone; ordered by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceId(Arc<str>);

impl ResourceId {
    /// An id as some file holds it; nothing is checked.
    pub fn new(id: impl Into<Arc<str>>) -> ResourceId {
        ResourceId(id.into())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The end of the id, which tells ids of one moment apart.
    pub fn tail(&self) -> &str {
        let start = self.0.char_indices().rev().nth(5).map_or(0, |(at, _)| at);
        &self.0[start..]
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ResourceId {
    fn from(id: &str) -> ResourceId {
        ResourceId::new(id)
    }
}

/// The text as a ULID in its one canonical (upper-case) form, when it is one.
///
/// Checked here, since the usual decoder wraps ids beyond `7ZZZ...` silently.
///
/// ```
/// use dagwood::resources::ulid_form;
/// assert_eq!(ulid_form("01jq0000000000000000000000").as_deref(), Some("01JQ0000000000000000000000"));
/// assert_eq!(ulid_form("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"), None);
/// assert_eq!(ulid_form("local/api-repo"), None);
/// ```
pub fn ulid_form(text: &str) -> Option<String> {
    let fits = text.len() == ID_LENGTH
        && matches!(text.as_bytes()[0], b'0'..=b'7')
        && text.bytes().all(|byte| {
            matches!(byte.to_ascii_uppercase(),
                b'0'..=b'9' | b'A'..=b'H' | b'J' | b'K' | b'M' | b'N' | b'P'..=b'T' | b'V'..=b'Z')
        });
    fits.then(|| text.to_ascii_uppercase())
}

/// A resource, as its row holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Its id.
    pub id: ResourceId,
    /// Its name, unique in the registry; a placeholder has none.
    pub name: Option<String>,
    /// The name of its type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Where it is: a path or an address, as stored (see [`crate::resources::path_of`]).
    pub location: Option<String>,
    /// What it is, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further facts, as the JSON text that is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties_json: Option<String>,
    /// Whether a discovery made it.
    pub auto_discovered: bool,
    /// When it was made, ISO-8601 UTC.
    pub created_at: String,
}

impl Resource {
    /// What errors and lists call it by.
    pub fn named(&self) -> Named {
        Named { id: self.id.clone(), name: self.name.clone(), type_name: self.type_name.clone() }
    }

    /// Its name, or for a placeholder its type and the end of its id.
    pub fn label(&self) -> String {
        self.named().to_string()
    }
}

/// A resource by the two things it is known by; serialised as `{"id", "name"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// Its id.
    pub id: ResourceId,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its type; empty for an id without a row.
    #[serde(skip)]
    pub type_name: String,
}

impl Named {
    /// An id that has no row.
    pub fn missing(id: ResourceId) -> Named {
        Named { id, name: None, type_name: String::new() }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => f.write_str(name),
            None => f.write_str(&label_of(&self.type_name, &self.id)),
        }
    }
}

/// What a resource without a name is called.
fn label_of(type_name: &str, id: &ResourceId) -> String {
    if type_name.is_empty() { id.to_string() } else { format!("{type_name} …{}", id.tail()) }
}

/// The two ends of a link, as errors name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ends {
    /// The resource that contains.
    pub parent: Named,
    /// The resource that is contained.
    pub child: Named,
}

/// A link, as its row holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The resource that contains.
    pub parent_id: ResourceId,
    /// The resource that is contained.
    pub child_id: ResourceId,
    /// When it was made, ISO-8601 UTC.
    pub created_at: String,
}

/// A resource as one row of a list: with how many parents and children it has. Links to ids without a row are not
/// counted, here or anywhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// The resource.
    #[serde(flatten)]
    pub resource: Resource,
    /// How many resources contain it directly.
    pub parent_count: u64,
    /// How many resources it contains directly.
    pub child_count: u64,
}

/// A resource as one row of a screen that shows many: what it is known by and how it is tied in, and no more. A million
/// are held at once, so short names lie in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Its id.
    pub id: ResourceId,
    /// Its name, where it has one.
    pub name: Option<CompactString>,
    /// Its type.
    pub type_name: CompactString,
    /// How many resources contain it directly.
    pub parent_count: u32,
    /// Whether it contains any.
    pub has_children: bool,
}

impl Brief {
    /// Its name, or what tells it from others without one.
    pub fn label(&self) -> CompactString {
        self.name.clone().unwrap_or_else(|| label_of(&self.type_name, &self.id).into())
    }
}

impl From<Node> for Brief {
    fn from(node: Node) -> Brief {
        let Resource { id, name, type_name, .. } = node.resource;
        Brief {
            id,
            name: name.map(CompactString::from),
            type_name: type_name.into(),
            parent_count: u32::try_from(node.parent_count).unwrap_or(u32::MAX),
            has_children: node.child_count > 0,
        }
    }
}

/// How much a registry holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Resources.
    pub resources: u64,
    /// Links, dangling ones included.
    pub links: u64,
    /// Resources without a parent.
    pub roots: u64,
    /// Resource types.
    pub types: u64,
}

/// Which way to look from a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The resource is the parent: what could be put under it.
    Children,
    /// The resource is the child: under what it could be put.
    Parents,
}

/// What a resource was asked for as, when it is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// As the parent of a link.
    Parent,
    /// As the child of a link.
    Child,
    /// On its own.
    Resource,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Parent => "parent",
            Role::Child => "child",
            Role::Resource => "resource",
        })
    }
}

/// A number with its thousands set apart, for people.
///
/// ```
/// assert_eq!(dagwood::resources::thousands(4_194_304), "4,194,304");
/// ```
pub fn thousands(number: impl fmt::Display) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Whether a text may be the name of a resource; the reason when not.
///
/// # Errors
/// The rule it breaks, as the end of a sentence that begins with the name.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("is empty")
    } else if name.trim() != name {
        Err("begins or ends with white space")
    } else if name.starts_with('/') || name.ends_with('/') {
        Err("begins or ends with a slash")
    } else if ulid_form(name).is_some() {
        Err("looks like an id")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_ulids_are_taken_for_ids() {
        assert!(ulid_form("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").is_some());
        for wrong in ["8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01JQILOU000000000000000000", "01JQ", "é1JQ00000000000000000000"] {
            assert_eq!(ulid_form(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn placeholders_are_called_by_type_and_the_end_of_the_id() {
        let id = ResourceId::new("01JQ000000000000000000X7P2");
        let named = Named { id: id.clone(), name: None, type_name: "git-branch".into() };
        assert_eq!(named.to_string(), "git-branch …00X7P2");
        assert_eq!(Named::missing(id).to_string(), "01JQ000000000000000000X7P2");
        assert_eq!(ResourceId::new("äöü").tail(), "äöü");
    }

    #[test]
    fn names_keep_to_the_rules() {
        assert!(check_name("local/a/b c").is_ok());
        for wrong in ["", " a", "a ", "/a", "a/", "01JQ0000000000000000000000", "01jq0000000000000000000000"] {
            assert!(check_name(wrong).is_err(), "{wrong:?}");
        }
    }
}
