//! What the right-hand side of a screen says about one resource, and the picker for linking.

use rusqlite::params;
use serde::Serialize;

use super::Registry;
use super::browse::node;
use crate::finding::Finding;
use crate::resources::doctor;
use crate::resources::error::Error;
use crate::resources::graph::{self, PathCount, Store};
use crate::resources::model::{Direction, Named, Node, ResourceId, Role};
use crate::resources::types::ResourceType;

/// Descendants are counted up to here for a detail.
const MOST_DESCENDANTS: u64 = 10_000;

/// All about one resource.
#[derive(Clone, Debug, Serialize)]
pub struct Detail {
    /// The resource and its counts.
    pub resource: Node,
    /// Its type, where it has a row that can be read.
    #[serde(skip)]
    pub resource_type: Option<ResourceType>,
    /// Why not, where not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_problem: Option<String>,
    /// What contains it directly.
    pub parents: Vec<Node>,
    /// How many children of which type it has.
    pub children_by_type: Vec<(String, u64)>,
    /// How many distinct resources lie below it.
    pub descendants: u64,
    /// Whether there are more than that; counting stopped.
    pub more_descendants: bool,
    /// What it may contain; empty means any.
    pub allowed_child_types: Vec<String>,
    /// What is wrong with it, with the mending of each.
    pub findings: Vec<Finding>,
}

/// A resource that may be picked to be linked, or the reason why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The resource.
    pub resource: Node,
    /// Why it cannot be linked: "already a child", or "type not allowed: ...".
    pub reason: Option<String>,
}

impl Registry {
    /// All about one resource.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn detail(&self, id: &ResourceId) -> Result<Detail, Error> {
        let _moment = self.snapshot()?;
        let node = self.node(id)?;
        let (resource_type, type_problem) = match self.resource_type(&node.resource.type_name) {
            Ok(resource_type) => (Some(resource_type), None),
            Err(error @ (Error::TypeNotFound { .. } | Error::TypeUnreadable { .. })) => (None, Some(error.to_string())),
            Err(error) => return Err(error),
        };
        let descendants = self.descendants(id, MOST_DESCENDANTS + 1)?;
        Ok(Detail {
            parents: self.get_parents(id)?,
            children_by_type: self.children_by_type(id)?,
            descendants: descendants.min(MOST_DESCENDANTS),
            more_descendants: descendants > MOST_DESCENDANTS,
            allowed_child_types: resource_type
                .as_ref()
                .map(|known| known.child_type_names().map(str::to_owned).collect())
                .unwrap_or_default(),
            findings: doctor::findings_of(self, &node.resource, type_problem.as_deref())?,
            resource: node,
            resource_type,
            type_problem,
        })
    }

    /// Resources to pick from when something is put under this one (or this one under something): never itself, nor
    /// its ancestors (its descendants), which a link would close a cycle with. Those that cannot be linked for another
    /// reason come last, with the reason. `filter` is part of the name, in any case, or six or more
    /// characters of the id.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn candidates(
        &self,
        id: &ResourceId,
        direction: Direction,
        filter: &str,
        most: usize,
    ) -> Result<Vec<Candidate>, Error> {
        let _moment = self.snapshot()?;
        let draft = self.draft();
        let this = graph::expect(&draft, id, Role::Resource)?;
        let (id_column, name) = (self.columns.id(), self.columns.name());
        let (up, down) = match direction {
            Direction::Children => ("parent_id", "child_id"),
            Direction::Parents => ("child_id", "parent_id"),
        };
        let sql = format!(
            "WITH RECURSIVE barred(id) AS (\
             SELECT ?1 UNION SELECT l.{up} FROM barred JOIN resource_links l ON l.{down} = barred.id\
             ) SELECT {}, 0, 0, EXISTS(SELECT 1 FROM resource_links l WHERE l.{up} = ?1 AND l.{down} = r.{id_column}) \
             FROM resources r WHERE (?2 = '' OR instr(lower(ifnull(r.{name}, r.{id_column})), ?2) > 0 \
             OR (length(?2) > 5 AND instr(lower(r.{id_column}), ?2) > 0)) \
             AND r.{id_column} NOT IN barred ORDER BY r.{name} IS NULL, r.{name}, r.{id_column}",
            self.columns.resource
        );
        let mut statement = self.say(self.connection.prepare_cached(&sql))?;
        let mut rows = self.say(statement.query(params![id.as_str(), filter.to_lowercase()]))?;
        let (mut possible, mut greyed) = (Vec::new(), Vec::new());
        while let Some(row) = self.say(rows.next())? {
            let resource = self.say(node(row))?;
            let linked: bool = self.say(row.get(10))?;
            let other = &resource.resource.type_name;
            let (parent_type, child_type) = match direction {
                Direction::Children => (&this.type_name, other),
                Direction::Parents => (other, &this.type_name),
            };
            let reason = if linked {
                Some(if direction == Direction::Children { "already a child" } else { "already a parent" }.to_owned())
            } else {
                why_not(&draft, parent_type, child_type)?
            };
            let (to, full) = if reason.is_none() { (&mut possible, true) } else { (&mut greyed, false) };
            if to.len() < most {
                to.push(Candidate { resource, reason });
            }
            if full && possible.len() == most {
                break;
            }
        }
        greyed.truncate(most - possible.len());
        possible.append(&mut greyed);
        for candidate in &mut possible {
            candidate.resource = self.counted(candidate.resource.resource.clone())?;
        }
        Ok(possible)
    }
}

/// How one resource contains another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Paths {
    /// The shortest path, from the upper to the lower one; empty when there is none.
    pub shortest: Vec<Named>,
    /// How many paths there are.
    #[serde(flatten)]
    pub all: PathCount,
}

impl Registry {
    /// How `from` contains `to`: the shortest path, and the number of all.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn paths(&self, from: &ResourceId, to: &ResourceId) -> Result<Paths, Error> {
        let _moment = self.snapshot()?;
        let draft = self.draft();
        graph::expect(&draft, from, Role::Resource)?;
        graph::expect(&draft, to, Role::Resource)?;
        let shortest = graph::path_down(&draft, from, to)?.unwrap_or_default();
        Ok(Paths { shortest: graph::names(&draft, shortest)?, all: graph::count_paths(&draft, from, to)? })
    }
}

/// Why a resource of one type may not contain one of another.
fn why_not(store: &impl Store, parent_type: &str, child_type: &str) -> Result<Option<String>, Error> {
    match graph::check_types(store, parent_type, child_type) {
        Ok(()) => Ok(None),
        Err(error @ (Error::TypeIncompatible { .. } | Error::TypeNotFound { .. } | Error::TypeUnreadable { .. })) => {
            Ok(Some(format!("type not allowed: {error}")))
        }
        Err(error) => Err(error),
    }
}
