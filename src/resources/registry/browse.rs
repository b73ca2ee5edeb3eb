//! Reading a registry for a screen or a list: rows with their counts, in one query each.

use std::cmp::Ordering;

use rusqlite::{OptionalExtension, Row};

use super::{Registry, Survey, rows};
use crate::resources::error::Error;
use crate::resources::graph;
use crate::resources::model::{Counts, Node, Resource, ResourceId, Role};

impl Registry {
    /// The direct children, by name (those without one last), then by id.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn get_children(&self, id: &ResourceId) -> Result<Vec<Node>, Error> {
        graph::expect(&self.draft(), id, Role::Resource)?;
        self.children_there(id)
    }

    /// The children of a resource that is known to be there.
    pub(crate) fn children_there(&self, id: &ResourceId) -> Result<Vec<Node>, Error> {
        self.neighbours(id, ["child_id", "parent_id"])
    }

    /// The direct parents, by name (those without one last), then by id.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn get_parents(&self, id: &ResourceId) -> Result<Vec<Node>, Error> {
        graph::expect(&self.draft(), id, Role::Resource)?;
        self.neighbours(id, ["parent_id", "child_id"])
    }

    /// The resources at one end of the links whose other end is this resource, which is known to be there.
    fn neighbours(&self, id: &ResourceId, [end, other]: [&str; 2]) -> Result<Vec<Node>, Error> {
        let id_column = self.columns.id();
        let [mut parents, mut children] = self.count_columns();
        let known = if end == "child_id" { &mut parents } else { &mut children };
        *known = but_the_known_one(known, other);
        let columns = &self.columns.resource;
        self.rows(
            &format!(
                "SELECT {columns}, {parents}, {children} FROM resources r JOIN resource_links k \
                 ON k.{end} = r.{id_column} WHERE k.{other} = ?1"
            ),
            Some(id.as_str()),
        )
    }

    /// The resources without a parent.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn roots(&self) -> Result<Vec<Node>, Error> {
        self.nodes(&format!("WHERE {}", self.is_root()), None)
    }

    /// The resources reachable from no root: those in a cycle and below one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn cyclic_group(&self) -> Result<Vec<Node>, Error> {
        let _moment = self.snapshot()?;
        self.cyclic_in(&self.survey()?)
    }

    /// The resources of a survey that are reachable from no root.
    pub(crate) fn cyclic_in(&self, survey: &Survey) -> Result<Vec<Node>, Error> {
        let mut nodes = Vec::new();
        for number in survey.reached_from_no_root() {
            nodes.push(self.node(&survey.id(number))?);
        }
        sort(&mut nodes);
        Ok(nodes)
    }

    /// The resources with neither parents nor children.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn orphans(&self) -> Result<Vec<Node>, Error> {
        let id = self.columns.id();
        self.nodes(
            &format!(
                "WHERE {} AND NOT EXISTS(SELECT 1 FROM resource_links l JOIN resources c ON c.{id} = l.child_id \
                 WHERE l.parent_id = r.{id})",
                self.is_root()
            ),
            None,
        )
    }

    /// All resources, or those of exactly this type.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self, type_name: Option<&str>) -> Result<Vec<Node>, Error> {
        match type_name {
            None => self.nodes("", None),
            Some(name) => self.nodes(&format!("WHERE r.{} = ?1", self.columns.type_name()), Some(name)),
        }
    }

    /// The types that resources have, each with how many, by name; types without resources are left out, types without
    /// a row are not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn by_type(&self) -> Result<Vec<(String, u64)>, Error> {
        let sql =
            format!("SELECT r.{0}, count(*) FROM resources r GROUP BY r.{0} ORDER BY 1", self.columns.type_name());
        self.pairs(&sql, None)
    }

    /// Whether it holds more resources than so many; never counts further.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn has_more_than(&self, most: u32) -> Result<bool, Error> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM resources LIMIT ?1)";
        let first = i64::from(most) + 1;
        self.say(
            self.connection
                .prepare_cached(sql)
                .and_then(|mut statement| statement.query_row([first], |row| Ok(row.get::<_, i64>(0)? == first))),
        )
    }

    /// How many resources it holds.
    ///
    /// # Errors
    /// When the file cannot be read.
    #[expect(clippy::len_without_is_empty, reason = "a count of rows, which may fail")]
    pub fn len(&self) -> Result<u64, Error> {
        let count = self.connection.prepare_cached("SELECT count(*) FROM resources");
        self.say(count.and_then(|mut statement| statement.query_row([], |row| rows::count(row, 0))))
    }

    /// How much the registry holds.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn counts(&self) -> Result<Counts, Error> {
        let sql = format!(
            "SELECT (SELECT count(*) FROM resources), (SELECT count(*) FROM resource_links), \
             (SELECT count(*) FROM resources r WHERE {}), (SELECT count(*) FROM resource_types)",
            self.is_root()
        );
        self.say(self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row([], |row| {
                Ok(Counts {
                    resources: rows::count(row, 0)?,
                    links: rows::count(row, 1)?,
                    roots: rows::count(row, 2)?,
                    types: rows::count(row, 3)?,
                })
            })
        }))
    }

    /// A number that changes when another connection has committed. Cheap: polled a few times a second.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn data_version(&self) -> Result<i64, Error> {
        self.say(self.connection.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    /// How many distinct resources lie below one, itself not among them; counting stops at `most`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn descendants(&self, id: &ResourceId, most: u64) -> Result<u64, Error> {
        let sql = format!(
            "WITH RECURSIVE below(id) AS (\
             SELECT child_id FROM resource_links WHERE parent_id = ?1 \
             UNION SELECT l.child_id FROM below JOIN resource_links l ON l.parent_id = below.id LIMIT ?2\
             ) SELECT count(*) FROM below JOIN resources r ON r.{} = below.id WHERE below.id <> ?1",
            self.columns.id()
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.say(self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row(rusqlite::params![id.as_str(), most], |row| rows::count(row, 0))
        }))
    }

    /// The children of a resource counted by type, by name of the type.
    pub(super) fn children_by_type(&self, id: &ResourceId) -> Result<Vec<(String, u64)>, Error> {
        let sql = format!(
            "SELECT r.{0}, count(*) FROM resource_links l JOIN resources r ON r.{1} = l.child_id \
             WHERE l.parent_id = ?1 GROUP BY r.{0} ORDER BY 1",
            self.columns.type_name(),
            self.columns.id()
        );
        self.pairs(&sql, Some(id.as_str()))
    }

    /// A resource with its counts.
    pub(super) fn counted(&self, resource: Resource) -> Result<Node, Error> {
        let [parents, children] = self.count_columns();
        let sql = format!("SELECT {parents}, {children} FROM (SELECT ?1 AS {}) r", self.columns.id());
        let counts = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement
                .query_row([resource.id.as_str()], |row| Ok((rows::count(row, 0)?, rows::count(row, 1)?)))
                .optional()
        });
        let (parent_count, child_count) = self.say(counts)?.unwrap_or((0, 0));
        Ok(Node { resource, parent_count, child_count })
    }

    /// The resources that a condition on `resources r` picks, sorted for people.
    pub(super) fn nodes(&self, condition: &str, parameter: Option<&str>) -> Result<Vec<Node>, Error> {
        let [parents, children] = self.count_columns();
        let sql = format!("SELECT {}, {parents}, {children} FROM resources r {condition}", self.columns.resource);
        self.rows(&sql, parameter)
    }

    fn rows(&self, sql: &str, parameter: Option<&str>) -> Result<Vec<Node>, Error> {
        let nodes = self.connection.prepare_cached(sql).and_then(|mut statement| {
            statement.query_map(rusqlite::params_from_iter(parameter), node)?.collect::<rusqlite::Result<Vec<Node>>>()
        });
        let mut nodes = self.say(nodes)?;
        sort(&mut nodes);
        Ok(nodes)
    }

    fn pairs(&self, sql: &str, parameter: Option<&str>) -> Result<Vec<(String, u64)>, Error> {
        self.say(self.connection.prepare_cached(sql).and_then(|mut statement| {
            let pair = |row: &Row<'_>| Ok((rows::text(row, 0)?.unwrap_or_default(), rows::count(row, 1)?));
            statement.query_map(rusqlite::params_from_iter(parameter), pair)?.collect()
        }))
    }

    /// The expressions of the two counts of a row `r`. A link counts when both its ends have rows.
    pub(super) fn count_columns(&self) -> [String; 2] {
        let id = self.columns.id();
        [("parent_id", "child_id"), ("child_id", "parent_id")].map(|(other, this)| {
            format!(
                "(SELECT count(*) FROM resource_links l JOIN resources o ON o.{id} = l.{other} WHERE l.{this} = r.{id})"
            )
        })
    }

    /// The condition that a row `r` has no parent. A link from an id without a row does not count.
    fn is_root(&self) -> String {
        let id = self.columns.id();
        let no_parent = |of: &str| {
            format!(
                "NOT EXISTS(SELECT 1 FROM resource_links k JOIN resources p ON p.{id} = k.parent_id WHERE k.child_id = {of})"
            )
        };
        if self.is_foreign() {
            // columns of another program may compare in their own ways
            return no_parent(&format!("r.{id}"));
        }
        // both tables are run through side by side, in a third of the time of a lookup for each row; then the few that
        // hang on links from nowhere
        format!(
            "r.{id} IN (SELECT * FROM (SELECT {id} FROM resources EXCEPT SELECT child_id FROM resource_links ORDER BY 1) \
             UNION ALL SELECT l.child_id FROM resource_links l WHERE l.parent_id IN \
             (SELECT parent_id FROM resource_links EXCEPT SELECT {id} FROM resources ORDER BY 1) AND {})",
            no_parent("l.child_id")
        )
    }
}

pub(super) fn node(row: &Row<'_>) -> rusqlite::Result<Node> {
    Ok(Node { resource: rows::resource(row)?, parent_count: rows::count(row, 8)?, child_count: rows::count(row, 9)? })
}

/// The count of [`Registry::count_columns`] for resources found by a link whose `other` end is known: that link is not
/// looked up again, which on a wide node would be done for every row.
pub(super) fn but_the_known_one(count: &str, other: &str) -> String {
    format!("1 + {}", count.replacen("WHERE", &format!("WHERE l.{other} <> ?1 AND"), 1))
}

fn sort(nodes: &mut [Node]) {
    // ids come in order, and names often do
    nodes.sort_by(|a, b| in_order((&a.resource.name, &a.resource.id), (&b.resource.name, &b.resource.id)));
}

/// By name, those without one last, then by id.
pub(super) fn in_order(a: (&Option<String>, &ResourceId), b: (&Option<String>, &ResourceId)) -> Ordering {
    (a.0.is_none(), a).cmp(&(b.0.is_none(), b))
}
