//! Looking for resources by name, and for those that a link would close a cycle with.

use super::Registry;
use crate::resources::error::Error;
use crate::resources::model::{Direction, Node, ResourceId};

impl Registry {
    /// Resources whose name (or id, for one without a name) contains the text, upper and lower case alike; `most` of
    /// them at most.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn search(&self, text: &str, most: usize) -> Result<Vec<Node>, Error> {
        let (id, name) = (self.columns.id(), self.columns.name());
        let condition =
            format!("WHERE instr(lower(ifnull(r.{name}, r.{id})), ?1) > 0 ORDER BY r.{name}, r.{id} LIMIT {most}");
        self.nodes(&condition, Some(&text.to_lowercase()))
    }

    /// What a picker never offers: the resource itself and what contains it (or, looking for a parent, what it
    /// contains), directly or not; `most` of them at most.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn barred(&self, id: &ResourceId, direction: Direction, most: usize) -> Result<Vec<Node>, Error> {
        let column = self.columns.id();
        let (up, down) = match direction {
            Direction::Children => ("parent_id", "child_id"),
            Direction::Parents => ("child_id", "parent_id"),
        };
        let condition = format!(
            "WHERE r.{column} IN (WITH RECURSIVE barred(id) AS (\
             SELECT ?1 UNION SELECT l.{up} FROM barred JOIN resource_links l ON l.{down} = barred.id\
             ) SELECT id FROM barred LIMIT {most})"
        );
        self.nodes(&condition, Some(id.as_str()))
    }
}
