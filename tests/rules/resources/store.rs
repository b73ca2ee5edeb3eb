//! A registry of a test's own, with short names: `D1` is an fs-directory, `F1` an fs-file, `G1` a git-checkout, `B1` a
//! local/any-box.

use std::path::PathBuf;

use dagwood::error::{Code, Coded};
use dagwood::resources::{
    Durability, Error, NewResource, Opening, Operation, Registry, Resource, ResourceId, ResourceType, Role, types,
};

/// A registry on disk, open to write.
pub struct Store {
    pub dir: tempfile::TempDir,
    pub registry: Registry,
}

/// The types of the tables.
pub fn table_types() -> Vec<ResourceType> {
    [
        "name: git-checkout\nchild_types: [git, fs-directory]",
        "name: git\nchild_types: [git-branch]",
        "name: fs-directory\nchild_types: [fs-directory, fs-file]",
        "name: fs-file\nchild_types: [none]",
        "name: local/any-box\nchild_types: []",
    ]
    .map(a_type)
    .to_vec()
}

/// A type from the text of its file.
pub fn a_type(text: &str) -> ResourceType {
    types::parse("type.yaml".as_ref(), text.as_bytes()).unwrap().resource_type
}

/// Tests need no disk that outlives a power failure.
pub fn quick() -> Opening {
    Opening { durability: Durability::Relaxed, ..Opening::default() }
}

impl Store {
    /// An empty registry with the types of the tables.
    pub fn empty() -> Store {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("registry.db");
        let mut registry = Registry::open_to_write(&file, quick()).unwrap();
        registry.carry_out(&Operation::AddTypes(table_types(), dagwood::resources::AddTypes::Update)).unwrap();
        Store { dir, registry }
    }

    /// A registry with these resources, made in this order so that their ids rise.
    pub fn with(names: &str) -> Store {
        let mut store = Store::empty();
        for name in names.split_whitespace() {
            store.add(name);
        }
        store
    }

    /// A registry with these links (`D1>D2`); the resources are made in the order of their names.
    pub fn linked(links: &str) -> Store {
        let mut names: Vec<&str> = links.split([' ', '>']).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        let mut store = Store::with(&names.join(" "));
        for (parent, child) in links.split_whitespace().filter_map(|link| link.split_once('>')) {
            store.link(parent, child).unwrap();
        }
        store
    }

    pub fn file(&self) -> PathBuf {
        self.registry.file().to_owned()
    }

    pub fn add(&mut self, name: &str) -> Resource {
        let type_name = match name.as_bytes()[0] {
            b'D' => "fs-directory",
            b'F' => "fs-file",
            b'G' => "git-checkout",
            b'B' => "local/any-box",
            _ => panic!("{name}"),
        };
        self.make(type_name, name, None)
    }

    pub fn make(&mut self, type_name: &str, name: &str, location: Option<&str>) -> Resource {
        let location = location.map(str::to_owned);
        let (type_name, name) = (type_name.to_owned(), Some(name.to_owned()));
        self.registry.add(NewResource { type_name, name, location, ..NewResource::default() }).unwrap()
    }

    pub fn set_type(&mut self, text: &str) {
        let update = dagwood::resources::AddTypes::Update;
        self.registry.carry_out(&Operation::AddTypes(vec![a_type(text)], update)).unwrap();
    }

    /// The id of a name; of no resource when there is none.
    pub fn id(&self, name: &str) -> ResourceId {
        self.registry.find(name, Role::Resource).map_or_else(|_| ResourceId::from(name), |found| found.id)
    }

    pub fn link(&mut self, parent: &str, child: &str) -> Result<(), Error> {
        let (parent, child) = (self.id(parent), self.id(child));
        self.registry.link_child(&parent, &child).map(drop)
    }

    /// Takes a link away, and gives the notes.
    pub fn unlink(&mut self, parent: &str, child: &str) -> Result<Vec<String>, Error> {
        let (parent, child) = (self.id(parent), self.id(child));
        self.registry.unlink_child(&parent, &child).map(|plan| plan.notes)
    }

    /// The names on the path of a refused link.
    pub fn cycle(&mut self, parent: &str, child: &str) -> String {
        let before = self.registry.counts().unwrap();
        let error = self.link(parent, child).unwrap_err();
        assert_eq!(self.registry.counts().unwrap(), before, "nothing was written");
        match error {
            Error::CycleDetected { path } => path.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            other => panic!("{other}"),
        }
    }

    /// The code of a refused link.
    pub fn refused(&mut self, parent: &str, child: &str) -> Code {
        let before = self.registry.counts().unwrap();
        let code = self.link(parent, child).unwrap_err().code();
        assert_eq!(self.registry.counts().unwrap(), before, "nothing was written");
        code
    }

    pub fn children(&self, name: &str) -> String {
        let nodes = self.registry.get_children(&self.id(name)).unwrap();
        nodes.iter().map(|node| node.resource.label()).collect::<Vec<_>>().join(" ")
    }

    pub fn parents(&self, name: &str) -> String {
        let nodes = self.registry.get_parents(&self.id(name)).unwrap();
        nodes.iter().map(|node| node.resource.label()).collect::<Vec<_>>().join(" ")
    }

    pub fn roots(&self) -> String {
        self.registry.roots().unwrap().iter().map(|node| node.resource.label()).collect::<Vec<_>>().join(" ")
    }

    /// Writes as another program would, with the rules off.
    pub fn behind_its_back(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        connection.execute_batch("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON").unwrap();
        connection.execute_batch(sql).unwrap();
    }

    /// Links as another program would.
    pub fn force(&self, parent: &str, child: &str) {
        let (parent, child) = (self.id(parent), self.id(child));
        self.behind_its_back(&format!(
            "INSERT INTO resource_links VALUES('{parent}', '{child}', '2026-01-01T00:00:00Z')"
        ));
    }
}

/// The ladder: levels of two, each linked to both below; `D00a` at the top.
pub fn ladder(levels: usize) -> Store {
    let mut store = Store::empty();
    for level in 0..levels {
        for side in ["a", "b"] {
            store.add(&format!("D{level:02}{side}"));
        }
    }
    for level in 1..levels {
        for upper in ["a", "b"] {
            for lower in ["a", "b"] {
                store.link(&format!("D{:02}{upper}", level - 1), &format!("D{level:02}{lower}")).unwrap();
            }
        }
    }
    store
}

/// A chain written at once, as another program would; `D0` at the top.
pub fn chain(length: usize) -> Store {
    let store = Store::empty();
    let (id, time) = (|at: usize| format!("01{at:024}"), "2026-01-01T00:00:00Z");
    let mut connection = rusqlite::Connection::open(store.file()).unwrap();
    let transaction = connection.transaction().unwrap();
    {
        let mut resource = transaction
            .prepare("INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES(?, ?, 'fs-directory', ?)")
            .unwrap();
        let mut link = transaction.prepare("INSERT INTO resource_links VALUES(?, ?, ?)").unwrap();
        for at in 0..length {
            resource.execute((id(at), format!("D{at}"), time)).unwrap();
            if at > 0 {
                link.execute((id(at - 1), id(at), time)).unwrap();
            }
        }
    }
    transaction.commit().unwrap();
    store
}
