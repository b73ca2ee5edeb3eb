//! Everything a whole file says, for `check` and for export: read once, in numbers rather than texts where it is much.

use std::collections::HashMap;

use string_interner::symbol::SymbolU32;
use string_interner::{StringInterner, Symbol};

use super::{Registry, rows};
use crate::resources::components::Downward;
use crate::resources::error::Error;
use crate::resources::model::{Link, Resource, ResourceId};

/// Texts one behind the other in one piece of memory, each with a number: a million ids of their own would take thrice as
/// much.
type Texts = StringInterner<string_interner::backend::StringBackend<SymbolU32>>;

/// A whole registry as numbers: each id that occurs, with or without a row, has one.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The ids; those with a row come first.
    ids: Texts,
    /// How many of them have a row.
    pub with_row: usize,
    /// The number of the type of each id with a row.
    pub type_of: Vec<u32>,
    /// The names of the types that resources have, with or without a row.
    pub type_names: Vec<String>,
    /// The links, ordered by parent.
    pub links: Vec<(u32, u32)>,
}

impl Survey {
    /// How many ids occur.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The text of an id.
    pub fn text(&self, number: u32) -> &str {
        let id = SymbolU32::try_from_usize(number as usize).and_then(|symbol| self.ids.resolve(symbol));
        id.unwrap_or_default()
    }

    /// An id.
    pub fn id(&self, number: u32) -> ResourceId {
        ResourceId::from(self.text(number))
    }

    /// The number of an id, a new one where it has none yet.
    fn number(&mut self, id: &str) -> u32 {
        number(self.ids.get_or_intern(id).to_usize())
    }

    /// The numbers of the ids with a row that cannot be reached from a root, in rising order. Links to and from ids
    /// without a row do not count, here or in any list.
    pub fn reached_from_no_root(&self) -> Vec<u32> {
        let there = |number: u32| (number as usize) < self.with_row;
        let links: Vec<(u32, u32)> =
            self.links.iter().copied().filter(|(parent, child)| there(*parent) && there(*child)).collect();
        let mut reached = vec![true; self.with_row];
        for (_, child) in &links {
            reached[*child as usize] = false;
        }
        let graph = Downward::new(self.with_row, &links);
        let mut stack: Vec<u32> = (0..number(self.with_row)).filter(|at| reached[*at as usize]).collect();
        while let Some(at) = stack.pop() {
            for child in graph.children(at) {
                if !std::mem::replace(&mut reached[*child as usize], true) {
                    stack.push(*child);
                }
            }
        }
        (0..number(self.with_row)).filter(|at| !reached[*at as usize]).collect()
    }
}

impl Registry {
    /// Reads the whole registry as numbers.
    pub(crate) fn survey(&self) -> Result<Survey, Error> {
        let mut survey = Survey::default();
        let mut types: HashMap<String, u32> = HashMap::new();
        let sql = format!("SELECT r.{}, r.{} FROM resources r", self.columns.id(), self.columns.type_name());
        self.each(&sql, |row| {
            let id = survey.number(&rows::any_text(row, 0)?);
            if id as usize != survey.type_of.len() {
                // another program's file may hold an id twice
                return Ok(());
            }
            let type_name = rows::text(row, 1)?.unwrap_or_default();
            let next = number(types.len());
            let nth = *types.entry(type_name).or_insert_with_key(|name| {
                survey.type_names.push(name.clone());
                next
            });
            survey.type_of.push(nth);
            Ok(())
        })?;
        survey.with_row = survey.len();
        self.each("SELECT parent_id, child_id FROM resource_links ORDER BY parent_id, child_id", |row| {
            let link = (survey.number(&rows::any_text(row, 0)?), survey.number(&rows::any_text(row, 1)?));
            survey.links.push(link);
            Ok(())
        })?;
        Ok(survey)
    }

    /// What SQLite finds wrong with the file itself.
    pub(crate) fn integrity(&self) -> Result<Vec<String>, Error> {
        let mut problems = Vec::new();
        self.each("PRAGMA quick_check(20)", |row| {
            // a link of a resource to itself breaks the check of its table; it is named as what it is
            let known = ["ok", "CHECK constraint failed in resource_links"];
            problems.extend(rows::text(row, 0)?.filter(|line| !known.contains(&line.as_str())));
            Ok(())
        })?;
        Ok(problems)
    }

    /// How many rows a table of an older program has; `None` where there is no such table.
    pub(crate) fn legacy_edges(&self) -> Result<Option<u64>, Error> {
        let there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'resource_edges'";
        let there = self.say(self.connection.query_row(there, [], |row| rows::count(row, 0)))?;
        if there == 0 {
            return Ok(None);
        }
        let count = self.connection.query_row("SELECT count(*) FROM resource_edges", [], |row| rows::count(row, 0));
        self.say(count).map(Some)
    }

    /// Names that more than one resource has; only a file without the unique index can hold them.
    pub(crate) fn names_twice(&self) -> Result<Vec<(String, u64)>, Error> {
        let name = self.columns.name();
        let mut twice = Vec::new();
        let sql = format!(
            "SELECT {name}, count(*) FROM resources WHERE {name} IS NOT NULL GROUP BY {name} HAVING count(*) > 1 LIMIT 1000"
        );
        self.each(&sql, |row| {
            twice.push((rows::text(row, 0)?.unwrap_or_default(), rows::count(row, 1)?));
            Ok(())
        })?;
        Ok(twice)
    }

    /// Every resource, one after the other, by id.
    pub(crate) fn each_resource(&self, mut take: impl FnMut(Resource)) -> Result<(), Error> {
        let sql = format!("SELECT {} FROM resources r ORDER BY 1", self.columns.resource);
        self.each(&sql, |row| {
            take(rows::resource(row)?);
            Ok(())
        })
    }

    /// Every link, one after the other, by parent and child.
    pub(crate) fn each_link(&self, mut take: impl FnMut(Link)) -> Result<(), Error> {
        let sql = "SELECT parent_id, child_id, created_at FROM resource_links ORDER BY parent_id, child_id";
        self.each(sql, |row| {
            take(rows::link(row)?);
            Ok(())
        })
    }

    fn each(&self, sql: &str, mut take: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>) -> Result<(), Error> {
        self.say(self.connection.prepare(sql).and_then(|mut statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                take(row)?;
            }
            Ok(())
        }))
    }
}

/// A number for a row; a registry of four thousand million rows is not one we read whole.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
