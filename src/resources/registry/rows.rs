//! Rows of the three tables, read and written. Everything is read leniently: another program's file may hold any value
//! in any column.

use std::borrow::Cow;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::columns::Columns;
use crate::resources::model::{Link, Resource, ResourceId};

/// A type, as its row holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRow {
    /// Its name.
    pub name: String,
    /// The type as JSON text.
    pub spec_json: String,
    /// Whether it came with the program.
    pub built_in: bool,
    /// When it was written, ISO-8601 UTC.
    pub created_at: String,
}

/// Any value as text; `None` for NULL.
pub(super) fn text(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    })
}

/// Any value as text, NULL as an empty one; borrowed from the row where it is text.
pub(super) fn any_text<'a>(row: &'a Row<'_>, at: usize) -> rusqlite::Result<Cow<'a, str>> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes),
        _ => Cow::Owned(text(row, at)?.unwrap_or_default()),
    })
}

/// Any value as an id.
pub(super) fn id(row: &Row<'_>, at: usize) -> rusqlite::Result<ResourceId> {
    Ok(ResourceId::from(any_text(row, at)?.as_ref()))
}

/// The result of a `count(*)`.
pub(super) fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or_default())
}

fn flag(row: &Row<'_>, at: usize) -> rusqlite::Result<bool> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => false,
        ValueRef::Integer(number) => number != 0,
        _ => text(row, at)?.is_some_and(|text| !matches!(text.as_str(), "" | "0" | "0.0" | "false")),
    })
}

/// A resource from the eight columns of [`Columns::resource`], which come first.
pub(super) fn resource(row: &Row<'_>) -> rusqlite::Result<Resource> {
    Ok(Resource {
        id: id(row, 0)?,
        name: text(row, 1)?,
        type_name: text(row, 2)?.unwrap_or_default(),
        location: text(row, 3)?,
        description: text(row, 4)?,
        properties_json: text(row, 5)?,
        auto_discovered: flag(row, 6)?,
        created_at: text(row, 7)?.unwrap_or_default(),
    })
}

fn type_row(row: &Row<'_>) -> rusqlite::Result<TypeRow> {
    Ok(TypeRow {
        name: text(row, 0)?.unwrap_or_default(),
        spec_json: text(row, 1)?.unwrap_or_default(),
        built_in: flag(row, 2)?,
        created_at: text(row, 3)?.unwrap_or_default(),
    })
}

pub(super) fn link(row: &Row<'_>) -> rusqlite::Result<Link> {
    Ok(Link { parent_id: id(row, 0)?, child_id: id(row, 1)?, created_at: text(row, 2)?.unwrap_or_default() })
}

/// The three tables of one file.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub connection: &'a Connection,
    pub columns: &'a Columns,
}

impl Tables<'_> {
    pub fn resource(&self, id: &ResourceId) -> rusqlite::Result<Option<Resource>> {
        self.connection.prepare_cached(&self.columns.by_id)?.query_row([id.as_str()], resource).optional()
    }

    pub fn resource_named(&self, name: &str) -> rusqlite::Result<Option<Resource>> {
        self.connection.prepare_cached(&self.columns.by_name)?.query_row([name], resource).optional()
    }

    pub fn resource_at(&self, type_name: &str, location: &str) -> rusqlite::Result<Option<Resource>> {
        self.connection.prepare_cached(&self.columns.by_place)?.query_row([location, type_name], resource).optional()
    }

    /// The child of this type that stands for children nobody has looked up.
    pub fn placeholder(&self, parent: &ResourceId, type_name: &str) -> rusqlite::Result<Option<Resource>> {
        let Columns { resource: columns, .. } = self.columns;
        let sql = format!(
            "SELECT {columns} FROM resource_links l JOIN resources r ON r.{} = l.child_id WHERE l.parent_id = ?1 \
             AND r.{} = ?2 AND {} IS NULL AND {} ORDER BY 1 LIMIT 1",
            self.columns.id(),
            self.columns.type_name(),
            self.columns.location(),
            self.columns.auto_discovered()
        );
        self.connection.prepare_cached(&sql)?.query_row([parent.as_str(), type_name], resource).optional()
    }

    /// The children that discoveries made, by id.
    pub fn discovered_children(&self, parent: &ResourceId) -> rusqlite::Result<Vec<Resource>> {
        let sql = format!(
            "SELECT {} FROM resource_links l JOIN resources r ON r.{} = l.child_id \
             WHERE l.parent_id = ?1 AND {} ORDER BY l.child_id",
            self.columns.resource,
            self.columns.id(),
            self.columns.auto_discovered()
        );
        self.connection.prepare_cached(&sql)?.query_map([parent.as_str()], resource)?.collect()
    }

    pub fn link(&self, parent: &ResourceId, child: &ResourceId) -> rusqlite::Result<Option<Link>> {
        let sql = "SELECT parent_id, child_id, created_at FROM resource_links WHERE parent_id = ?1 AND child_id = ?2";
        self.connection.prepare_cached(sql)?.query_row([parent.as_str(), child.as_str()], link).optional()
    }

    /// The links above and below a resource.
    pub fn links_of(&self, of: &ResourceId) -> rusqlite::Result<Vec<Link>> {
        let sql = "SELECT parent_id, child_id, created_at FROM resource_links WHERE child_id = ?1 \
                   UNION SELECT parent_id, child_id, created_at FROM resource_links WHERE parent_id = ?1";
        self.connection.prepare_cached(sql)?.query_map([of.as_str()], link)?.collect()
    }

    pub fn parents_of(&self, of: &ResourceId) -> rusqlite::Result<Vec<ResourceId>> {
        let sql = "SELECT parent_id FROM resource_links WHERE child_id = ?1 ORDER BY parent_id";
        self.connection.prepare_cached(sql)?.query_map([of.as_str()], |row| id(row, 0))?.collect()
    }

    pub fn type_row(&self, name: &str) -> rusqlite::Result<Option<TypeRow>> {
        let sql = format!("SELECT {} FROM resource_types t WHERE t.name = ?1", self.type_columns());
        self.connection.prepare_cached(&sql)?.query_row([name], type_row).optional()
    }

    pub fn type_rows(&self) -> rusqlite::Result<Vec<TypeRow>> {
        let sql = format!("SELECT {} FROM resource_types t ORDER BY t.name", self.type_columns());
        self.connection.prepare_cached(&sql)?.query_map([], type_row)?.collect()
    }

    fn type_columns(&self) -> String {
        let Columns { type_spec, type_built_in, type_created, .. } = self.columns;
        format!("t.name, {type_spec}, {type_built_in}, {type_created}")
    }

    /// The largest id that is a ULID.
    pub fn largest_ulid(&self) -> rusqlite::Result<Option<ResourceId>> {
        let digit = "[0-9A-HJKMNP-TV-Z]";
        let sql = format!(
            "SELECT {id} FROM resources WHERE {id} < '8' AND {id} GLOB '[0-7]{rest}' ORDER BY {id} DESC LIMIT 1",
            id = self.columns.id(),
            rest = digit.repeat(25)
        );
        self.connection.prepare_cached(&sql)?.query_row([], |row| id(row, 0)).optional()
    }

    /// Up to three names that look like the one asked for, of those that are about as long.
    pub fn similar(&self, asked: &str) -> rusqlite::Result<Vec<String>> {
        /// So many names are looked at; a hint is not worth more.
        const LOOKED_AT: usize = 100_000;
        let sql = format!(
            "SELECT {name} FROM resources WHERE length({name}) BETWEEN ?1 AND ?2 LIMIT {LOOKED_AT}",
            name = self.columns.name()
        );
        let length = i64::try_from(asked.chars().count()).unwrap_or(i64::MAX / 4);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let names: Vec<String> = statement
            .query_map([length * 3 / 5, length * 5 / 3 + 1], |row| Ok(text(row, 0)?.unwrap_or_default()))?
            .collect::<rusqlite::Result<_>>()?;
        let near = crate::text::near(asked, names.iter().map(String::as_str), 3);
        Ok(near.into_iter().map(str::to_owned).collect())
    }

    /// All links that lead to or from an id without a row.
    pub fn dangling_links(&self) -> rusqlite::Result<Vec<Link>> {
        let sql = format!(
            "SELECT parent_id, child_id, created_at FROM resource_links l \
             WHERE NOT EXISTS(SELECT 1 FROM resources r WHERE r.{id} = l.parent_id) \
             OR NOT EXISTS(SELECT 1 FROM resources r WHERE r.{id} = l.child_id)",
            id = self.columns.id()
        );
        self.connection.prepare(&sql)?.query_map([], link)?.collect()
    }

    /// The links of a resource to itself, and to and from ids without a row.
    pub fn broken_links(&self, of: &ResourceId) -> rusqlite::Result<Vec<Link>> {
        let missing =
            |end: &str| format!("NOT EXISTS(SELECT 1 FROM resources r WHERE r.{} = l.{end})", self.columns.id());
        let sql = format!(
            "SELECT parent_id, child_id, created_at FROM resource_links l WHERE child_id = ?1 AND (parent_id = ?1 OR {}) \
             UNION ALL SELECT parent_id, child_id, created_at FROM resource_links l WHERE parent_id = ?1 AND {}",
            missing("parent_id"),
            missing("child_id")
        );
        self.connection.prepare_cached(&sql)?.query_map([of.as_str()], link)?.collect()
    }

    /// How many resources have the type.
    pub fn users_of_type(&self, name: &str) -> rusqlite::Result<u64> {
        let sql = format!("SELECT count(*) FROM resources r WHERE r.{} = ?1", self.columns.type_name());
        self.connection.prepare_cached(&sql)?.query_row([name], |row| count(row, 0))
    }

    pub fn insert_resource(&self, resource: &Resource, rest: &Map<String, Value>) -> rusqlite::Result<()> {
        if !self.columns.foreign {
            let sql = "INSERT INTO resources(resource_id, name, resource_type_name, location, description, \
                       properties_json, auto_discovered, created_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let given = params![
                resource.id.as_str(),
                resource.name,
                resource.type_name,
                resource.location,
                resource.description,
                resource.properties_json,
                resource.auto_discovered,
                resource.created_at
            ];
            return self.connection.prepare_cached(sql)?.execute(given).map(drop);
        }
        let values = values(resource);
        let mut names: Vec<&str> = Vec::with_capacity(8 + rest.len());
        let mut given = Vec::with_capacity(8);
        for (name, value) in self.columns.resource_names.iter().zip(values) {
            if let Some(name) = name {
                names.push(name);
                given.push(value);
            }
        }
        for (name, required) in &self.columns.rest {
            match rest.get(name) {
                Some(value) => given.push(from_json(value)),
                None if *required => given.push(required_value(name, resource)),
                None => continue,
            }
            names.push(name);
        }
        let marks = vec!["?"; names.len()].join(", ");
        let names: Vec<String> = names.into_iter().map(quoted).collect();
        let sql = format!("INSERT INTO resources({}) VALUES({marks})", names.join(", "));
        self.connection.prepare_cached(&sql)?.execute(params_from_iter(given)).map(drop)
    }

    /// The columns of a row that are none of ours.
    pub fn rest_of(&self, id: &ResourceId) -> rusqlite::Result<Map<String, Value>> {
        if self.columns.rest.is_empty() {
            return Ok(Map::new());
        }
        let names: Vec<String> = self.columns.rest.iter().map(|(name, _)| quoted(name)).collect();
        let sql = format!("SELECT {} FROM resources WHERE {} = ?1", names.join(", "), self.columns.id());
        let mut statement = self.connection.prepare(&sql)?;
        let read = |row: &Row<'_>| {
            let names = self.columns.rest.iter().enumerate();
            names.map(|(at, (name, _))| Ok((name.clone(), to_json(row.get_ref(at)?)))).collect()
        };
        Ok(statement.query_row([id.as_str()], read).optional()?.unwrap_or_default())
    }

    pub fn update_resource(&self, resource: &Resource) -> rusqlite::Result<()> {
        let mut sets = Vec::with_capacity(7);
        let mut given = Vec::with_capacity(8);
        for (name, value) in self.columns.resource_names.iter().zip(values(resource)).skip(1) {
            if let Some(name) = name {
                sets.push(format!("{name} = ?"));
                given.push(value);
            }
        }
        given.push(resource.id.as_str().to_owned().into());
        let sql = format!("UPDATE resources SET {} WHERE {} = ?", sets.join(", "), self.columns.id());
        self.connection.prepare_cached(&sql)?.execute(params_from_iter(given)).map(drop)
    }

    pub fn delete_resource(&self, id: &ResourceId) -> rusqlite::Result<()> {
        let sql = format!("DELETE FROM resources WHERE {} = ?1", self.columns.id());
        self.connection.prepare_cached(&sql)?.execute([id.as_str()]).map(drop)
    }

    pub fn insert_link(&self, link: &Link) -> rusqlite::Result<()> {
        let sql = "INSERT INTO resource_links(parent_id, child_id, created_at) VALUES(?1, ?2, ?3)";
        // what was NULL in another program's file is NULL again when it comes back
        let created_at = Some(&link.created_at).filter(|at| !(self.columns.foreign && at.is_empty()));
        let given = params![link.parent_id.as_str(), link.child_id.as_str(), created_at];
        self.connection.prepare_cached(sql)?.execute(given).map(drop)
    }

    pub fn delete_link(&self, parent: &ResourceId, child: &ResourceId) -> rusqlite::Result<()> {
        let sql = "DELETE FROM resource_links WHERE parent_id = ?1 AND child_id = ?2";
        self.connection.prepare_cached(sql)?.execute([parent.as_str(), child.as_str()]).map(drop)
    }

    /// Writes a type, over the one of its name where there is one.
    pub fn put_type(&self, row: &TypeRow) -> rusqlite::Result<()> {
        let sql = "INSERT INTO resource_types(name, spec_json, built_in, created_at) VALUES(?1, ?2, ?3, ?4) \
                   ON CONFLICT(name) DO UPDATE SET spec_json = ?2, built_in = ?3, created_at = ?4";
        let given = params![row.name, row.spec_json, row.built_in, row.created_at];
        self.connection.prepare_cached(sql)?.execute(given).map(drop)
    }

    pub fn delete_type(&self, name: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached("DELETE FROM resource_types WHERE name = ?1")?.execute([name]).map(drop)
    }
}

/// A column's name, as SQL takes any.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value of any kind in JSON: bytes as hex, so that it comes back as it was.
fn to_json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) if std::str::from_utf8(bytes).is_ok() => String::from_utf8_lossy(bytes).into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            json!({"hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()})
        }
    }
}

fn from_json(value: &Value) -> rusqlite::types::Value {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, real) => real.unwrap_or_default().into(),
        },
        Value::String(text) => text.clone().into(),
        Value::Object(blob) => {
            let hex = blob.get("hex").and_then(Value::as_str).unwrap_or_default();
            let byte = |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            (0..hex.len()).step_by(2).filter_map(byte).collect::<Vec<u8>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => rusqlite::types::Value::Null,
    }
}

fn values(resource: &Resource) -> [rusqlite::types::Value; 8] {
    let optional = |text: &Option<String>| text.clone().into();
    [
        resource.id.as_str().to_owned().into(),
        optional(&resource.name),
        resource.type_name.clone().into(),
        optional(&resource.location),
        optional(&resource.description),
        optional(&resource.properties_json),
        i64::from(resource.auto_discovered).into(),
        resource.created_at.clone().into(),
    ]
}

/// What a column of another program's gets when it must have something.
fn required_value(column: &str, resource: &Resource) -> rusqlite::types::Value {
    match column {
        "updated_at" => resource.created_at.clone().into(),
        "resource_kind" | "classification" => "physical".to_owned().into(),
        "namespace" => {
            let name = resource.name.as_deref().unwrap_or_default();
            name.split_once('/').map_or("", |(namespace, _)| namespace).to_owned().into()
        }
        column if column.starts_with("is_") || column.ends_with("_count") || column == "read_only" => 0.into(),
        _ => String::new().into(),
    }
}
