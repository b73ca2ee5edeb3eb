//! The children of a resource for a screen, on which a node may have a hundred thousand of them.
//!
//! How many parents each has, and whether it has children, are looked up one by one for a few. For many the links
//! around their ids are read through once instead, as ids that were made together lie together: nearly always no more links
//! lie there than those of the children themselves. Where more do, the lookups are the cheaper way.

use std::collections::HashSet;

use rusqlite::{Row, params};

use super::browse::{but_the_known_one, in_order};
use super::{Registry, rows};
use crate::resources::error::Error;
use crate::resources::graph;
use crate::resources::model::{Brief, Named, ResourceId, Role};

/// From how many children on the links around them are read through.
const WIDE: u64 = 1_000;

/// What the links around a node's children tell of these.
struct Around {
    /// Those that several links lead to.
    shared: HashSet<ResourceId>,
    /// Those that contain something.
    containing: HashSet<ResourceId>,
}

impl Registry {
    /// The direct children as [`Registry::get_children`] gives them, in half the time.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn children_in_brief(&self, id: &ResourceId) -> Result<Vec<Brief>, Error> {
        let _moment = self.snapshot()?;
        graph::expect(&self.draft(), id, Role::Resource)?;
        let around = self.say(self.around_children(id))?;
        let [parents, below] = self.tied();
        // found by a link, each has one parent at least
        let [counted, asked] = if around.is_some() { ["1", "0"] } else { [&*parents, &*below] };
        let [id_column, name, type_name] = [self.columns.id(), self.columns.name(), self.columns.type_name()];
        let sql = format!(
            "SELECT r.{id_column}, r.{name}, r.{type_name}, {counted}, {asked} FROM resources r \
             JOIN resource_links k ON k.child_id = r.{id_column} WHERE k.parent_id = ?1"
        );
        let brief = |row: &Row<'_>| {
            let [name, type_name] = [rows::text(row, 1)?, rows::text(row, 2)?];
            let named = Named { id: rows::id(row, 0)?, name, type_name: type_name.unwrap_or_default() };
            Ok(Brief { named, parent_count: rows::count(row, 3)?, has_children: row.get(4)? })
        };
        let children = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_map([id.as_str()], brief)?.collect::<rusqlite::Result<Vec<Brief>>>()
        });
        let mut children = self.say(children)?;
        if let Some(around) = around {
            self.say(self.tie_in(id, &around, &mut children))?;
        }
        // no two are equal, and sorting in place takes no memory
        children.sort_unstable_by(|a, b| in_order((&a.named.name, &a.named.id), (&b.named.name, &b.named.id)));
        Ok(children)
    }

    /// The expressions of how many parents a row `r` has that is a child of `?1`, and of whether it has children.
    fn tied(&self) -> [String; 2] {
        let id = self.columns.id();
        let [parents, _] = self.count_columns();
        let below = format!(
            "EXISTS(SELECT 1 FROM resource_links l JOIN resources o ON o.{id} = l.child_id WHERE l.parent_id = r.{id})"
        );
        [but_the_known_one(&parents, "parent_id"), below]
    }

    /// What the links around the children tell; nothing for few children, or where too many other links lie there.
    fn around_children(&self, id: &ResourceId) -> rusqlite::Result<Option<Around>> {
        let span = "SELECT count(*), min(child_id), max(child_id) FROM resource_links WHERE parent_id = ?1";
        let (count, first, last) = self
            .connection
            .prepare_cached(span)?
            .query_row([id.as_str()], |row| Ok((rows::count(row, 0)?, rows::text(row, 1)?, rows::text(row, 2)?)))?;
        let (Some(first), Some(last), true) = (first, last, count >= WIDE) else { return Ok(None) };
        let most = i64::try_from(count * 2).unwrap_or(i64::MAX);
        for end in ["child_id", "parent_id"] {
            let sql =
                format!("SELECT count(*) FROM (SELECT 1 FROM resource_links WHERE {end} BETWEEN ?1 AND ?2 LIMIT ?3)");
            let lie_there: i64 =
                self.connection.prepare_cached(&sql)?.query_row(params![first, last, most], |row| row.get(0))?;
            if lie_there == most {
                return Ok(None);
            }
        }
        let ids = |sql: &str| -> rusqlite::Result<HashSet<ResourceId>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map([&first, &last], |row| rows::id(row, 0))?.collect()
        };
        Ok(Some(Around {
            shared: ids("SELECT child_id FROM resource_links WHERE child_id BETWEEN ?1 AND ?2 \
                         GROUP BY child_id HAVING count(*) > 1")?,
            containing: ids(&format!(
                "SELECT DISTINCT l.parent_id FROM resource_links l JOIN resources o ON o.{} = l.child_id \
                 WHERE l.parent_id BETWEEN ?1 AND ?2",
                self.columns.id()
            ))?,
        }))
    }

    /// Puts into the children of a resource what the links around them tell.
    fn tie_in(&self, of: &ResourceId, around: &Around, children: &mut [Brief]) -> rusqlite::Result<()> {
        let [parents, _] = self.tied();
        let sql = format!("SELECT {parents} FROM (SELECT ?2 AS {}) r", self.columns.id());
        let mut count = self.connection.prepare_cached(&sql)?;
        for child in children {
            let id = &child.named.id;
            child.has_children = around.containing.contains(id);
            if around.shared.contains(id) {
                // of several links some may lead from nowhere
                child.parent_count = count.query_row([of.as_str(), id.as_str()], |row| rows::count(row, 0))?;
            }
        }
        Ok(())
    }
}
