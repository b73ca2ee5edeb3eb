//! What is said of a part of a workspace that is not there: what it would hold, what was looked for, and how it begins.
//! The command line and the explorer say it alike.

use super::Workspace;
use crate::finding::Area;
use crate::text::command;

/// A part, and how it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// What it holds.
    pub holds: &'static str,
    /// That it is not there, and what was looked for.
    pub absent: String,
    /// How it begins: a sentence without its first letter.
    pub begins: String,
}

impl Beginning {
    /// That it is not there and how it begins, in a line.
    pub fn line(&self) -> String {
        format!("{}: {}", self.absent, self.begins)
    }
}

impl Workspace {
    /// Whether a part is there.
    pub fn has(&self, area: Area) -> bool {
        match area {
            Area::Resources => self.registry_file().exists(),
            Area::Contracts => self.layer_place().1,
            Area::Selection => self.project().project.is_some(),
        }
    }

    /// The name that the workspace's folder would have as a resource.
    pub fn own_name(&self) -> String {
        let name = self.place().file_name().map(|name| name.to_string_lossy().into_owned());
        format!("local/{}", name.unwrap_or_default())
    }

    /// How a part begins that is not there.
    pub fn beginning(&self, area: Area) -> Beginning {
        match area {
            Area::Resources => {
                let add = command("dagwood resource add fs-directory", [self.own_name().as_str()]);
                Beginning {
                    holds: "checkouts, directories, files and other resources, and which of them contains which",
                    absent: format!("no registry yet (no file {})", self.registry_file().display()),
                    begins: format!("`{add} --location .` adds this directory and makes it"),
                }
            }
            Area::Contracts => {
                let root = self.layer_place().0.layer;
                Beginning {
                    holds: "the directories of the layer: which has a contract of its own, which owes one, and what applies \
                            where",
                    absent: format!("no layer here (no folder {root})"),
                    begins: format!("`{}` begins one", command("dagwood contract fix", [root.to_string().as_str()])),
                }
            }
            Area::Selection => Beginning {
                holds: "the agents and skills that are installed from packages, and why each is or is not",
                absent: "no project here or above (no mars.toml)".to_owned(),
                begins: "a mars.toml with a line such as `[dependencies.NAME]`, and `path = \"...\"` or `url = \"...\"` below \
                         it, begins one"
                    .to_owned(),
            },
        }
    }
}
