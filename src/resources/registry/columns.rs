//! Which columns a registry has. dagwood's own file has one form; files of the original program are looked at.

use rusqlite::Connection;

/// The tables as SQL text for this file.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Whether the file is the original program's.
    pub foreign: bool,
    /// The columns of a resource, in the order [`super::rows::resource`] reads them, of the table `r`.
    pub resource: String,
    /// What asks for a resource by its id, its name, and its type and location.
    pub by_id: String,
    pub by_name: String,
    pub by_place: String,
    /// The same columns without the prefix, `None` where the file has none of the kind.
    pub resource_names: [Option<String>; 8],
    /// Columns of `resources` that are none of ours, and whether each must be filled.
    pub rest: Vec<(String, bool)>,
    /// The expression that gives a type's JSON, of the table `t`.
    pub type_spec: String,
    /// The expression that says whether a type is built in.
    pub type_built_in: String,
    /// The expression of a type's creation time.
    pub type_created: String,
}

/// The columns of a resource, with the other names some files have for them.
const RESOURCE: [&[&str]; 8] = [
    &["resource_id", "id"],
    &["name", "namespaced_name"],
    &["resource_type_name", "type_name"],
    &["location"],
    &["description"],
    &["properties_json", "properties"],
    &["auto_discovered"],
    &["created_at"],
];

/// The columns of a type that hold JSON.
const TYPE_JSON: [&str; 7] =
    ["child_types", "parent_types", "auto_discovery", "cli_args", "capabilities", "equivalence", "equivalence_rules"];

/// The columns of a type that hold text.
const TYPE_TEXT: [&str; 5] = ["description", "resource_kind", "sandbox_strategy", "handler", "inherits"];

impl Columns {
    /// The columns of a file made by [`super::open`]'s migrations.
    pub fn own() -> Columns {
        let resource_names = RESOURCE.map(|names| names.first().map(|name| (*name).to_owned()));
        Columns {
            foreign: false,
            resource: select(&resource_names),
            by_id: String::new(),
            by_name: String::new(),
            by_place: String::new(),
            resource_names,
            rest: Vec::new(),
            type_spec: "t.spec_json".to_owned(),
            type_built_in: "t.built_in".to_owned(),
            type_created: "t.created_at".to_owned(),
        }
        .with_statements()
    }

    /// The statements that are asked once a row of something long, made once.
    fn with_statements(mut self) -> Columns {
        let select = format!("SELECT {} FROM resources r WHERE", self.resource);
        self.by_id = format!("{select} r.{} = ?1", self.id());
        self.by_name = format!("{select} r.{} = ?1", self.name());
        self.by_place = format!("{select} {} = ?1 AND r.{} = ?2 ORDER BY 1 LIMIT 1", self.location(), self.type_name());
        self
    }

    /// Whether a file without marks has the tables that dagwood makes.
    pub fn are_own(connection: &Connection) -> rusqlite::Result<bool> {
        let has = |table: &str, names: &[&str]| {
            let there = table_info(connection, table)?;
            Ok::<_, rusqlite::Error>(names.iter().all(|name| there.iter().any(|info| info.name == *name)))
        };
        let of_resources = RESOURCE.map(|names| names[0]);
        Ok(has("resources", &of_resources)? && has("resource_types", &["name", "spec_json", "built_in", "created_at"])?)
    }

    /// The columns of another program's file, as it says itself.
    pub fn foreign(connection: &Connection) -> rusqlite::Result<Columns> {
        let of_resources = table_info(connection, "resources")?;
        let of_types = table_info(connection, "resource_types")?;
        let has = |of: &[Info], name: &str| of.iter().any(|info| info.name == name);
        let resource_names =
            RESOURCE.map(|names| names.iter().find(|name| has(&of_resources, name)).map(|name| (*name).to_owned()));
        let rest = of_resources
            .iter()
            .filter(|info| !resource_names.iter().flatten().any(|name| *name == info.name))
            .map(|info| (info.name.clone(), info.required))
            .collect();
        let type_spec = if has(&of_types, "spec_json") {
            "t.spec_json".to_owned()
        } else {
            let text =
                TYPE_TEXT.into_iter().filter(|name| has(&of_types, name)).map(|name| format!("'{name}', t.{name}"));
            let json = TYPE_JSON.into_iter().filter(|name| has(&of_types, name)).map(|name| {
                let key = name.trim_end_matches("_rules");
                format!("'{key}', CASE WHEN json_valid(t.{name}) THEN json(t.{name}) ELSE t.{name} END")
            });
            let pairs: Vec<String> = std::iter::once("'name', t.name".to_owned()).chain(text).chain(json).collect();
            format!("json_object({})", pairs.join(", "))
        };
        let built_in = ["built_in", "is_builtin", "builtin"].into_iter().find(|name| has(&of_types, name));
        let created = if has(&of_types, "created_at") { "t.created_at" } else { "''" };
        Ok(Columns {
            foreign: true,
            resource: select(&resource_names),
            by_id: String::new(),
            by_name: String::new(),
            by_place: String::new(),
            resource_names,
            rest,
            type_spec,
            type_built_in: built_in.map_or_else(|| "0".to_owned(), |name| format!("t.{name}")),
            type_created: created.to_owned(),
        }
        .with_statements())
    }

    /// The name of the `nth` column of a resource, which every registry has.
    fn column(&self, nth: usize) -> &str {
        self.resource_names[nth].as_deref().unwrap_or_default()
    }

    /// The column of ids.
    pub fn id(&self) -> &str {
        self.column(0)
    }

    /// The column of names.
    pub fn name(&self) -> &str {
        self.column(1)
    }

    /// The column of type names.
    pub fn type_name(&self) -> &str {
        self.column(2)
    }

    /// The expression of the location, of the table `r`; some files have none.
    pub fn location(&self) -> String {
        expression(self.resource_names[3].as_ref())
    }

    /// The expression that says what was discovered, of the table `r`; some files do not say.
    pub fn auto_discovered(&self) -> String {
        expression(self.resource_names[6].as_ref())
    }

    /// Whether the columns are there without which nothing can be said.
    pub fn are_enough(&self) -> bool {
        self.resource_names[..3].iter().all(Option::is_some)
    }
}

fn expression(name: Option<&String>) -> String {
    name.map_or_else(|| "NULL".to_owned(), |name| format!("r.{name}"))
}

fn select(names: &[Option<String>; 8]) -> String {
    let all: Vec<String> = names.iter().map(|name| expression(name.as_ref())).collect();
    all.join(", ")
}

struct Info {
    name: String,
    required: bool,
}

fn table_info(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Info>> {
    let mut statement =
        connection.prepare("SELECT name, \"notnull\" AND dflt_value IS NULL AND pk = 0 FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| Ok(Info { name: row.get(0)?, required: row.get(1)? }))?.collect()
}
