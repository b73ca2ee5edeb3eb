//! The example workspace of `dagwood demo`: a small git repository whose layer has documented, exempt, owed and broken
//! directories, whose registry has a diamond, and whose project has a missing skill, a doubled and an excluded item.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use serde_json::{Map, Value, json};

use crate::error::{Code, Coded, Failure};
use crate::resources::{NewResource, ResourceId, location_of};
use crate::workspace::{Options, Workspace};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/demo");

/// Why the example workspace could not be laid out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder holds something already.
    #[error("{} is not empty; the example workspace wants a folder of its own", .0.display())]
    NotEmpty(PathBuf),
    /// The disk failed.
    #[error("cannot lay out the example workspace in {}: {source}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Git failed.
    #[error("cannot make a git repository in {}: {why}", folder.display())]
    Git {
        /// The folder.
        folder: PathBuf,
        /// What git said.
        why: String,
    },
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::NotEmpty(_) => Code::AlreadyExists,
            Error::Io { .. } | Error::Git { .. } => Code::Io,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let (Error::NotEmpty(folder) | Error::Io { folder, .. } | Error::Git { folder, .. }) = self;
        Map::from_iter([("file".to_owned(), json!(folder.to_string_lossy()))])
    }
}

/// Lays the example workspace out in a folder that is empty or not there yet.
///
/// # Errors
/// [`Error`], and what the registry says.
pub fn lay_out(folder: &Path) -> Result<(), Failure> {
    let io = |source| Error::Io { folder: folder.to_owned(), source };
    if folder.exists() && std::fs::read_dir(folder).map_err(io)?.next().is_some() {
        return Err(Error::NotEmpty(folder.to_owned()).into());
    }
    std::fs::create_dir_all(folder).map_err(io)?;
    // first what may not be there: without git the folder stays empty
    git(folder, &["init", "-q", "-b", "main"])?;
    FILES.extract(folder).map_err(io)?;
    git(folder, &["add", "-A"])?;
    link(folder)
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Error> {
    let failed = |why: String| Error::Git { folder: folder.to_owned(), why };
    let could_not_start = |error: std::io::Error| failed(format!("git could not be started: {error}"));
    let output = crate::git::at(folder)
        .map_err(could_not_start)?
        .args(["-c", "core.excludesFile=", "-c", "core.autocrlf=false"])
        .args(arguments)
        .output()
        .map_err(could_not_start)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}

/// The registry: a checkout and a site that share a folder, with something below it.
fn link(folder: &Path) -> Result<(), Failure> {
    let options = Options { directory: Some(folder.to_owned()), ..Options::default() };
    let workspace = Workspace::find(options).map_err(|source| Error::Io { folder: folder.to_owned(), source })?;
    let mut registry = workspace.registry_to_write()?;
    let top = workspace.place();
    let mut add = |name: &str, kind: &str, place: Option<&str>, parent: Option<&ResourceId>| {
        let new = NewResource {
            type_name: kind.to_owned(),
            name: Some(name.to_owned()),
            location: place.map(|place| location_of(&top.join(place).components().collect::<PathBuf>())),
            description: None,
            parent: parent.cloned(),
        };
        registry.add(new).map(|added| added.id)
    };
    let atlas = add("local/atlas", "git-checkout", Some(""), None)?;
    let site = add("local/site", "fs-mount", Some("docs"), None)?;
    let shared = add("local/shared", "fs-directory", None, Some(&atlas))?;
    add("local/shared/logo.svg", "fs-file", None, Some(&shared))?;
    add("local/guides", "fs-directory", Some("docs"), Some(&site))?;
    let guides = registry.find("local/guides", crate::resources::Role::Resource)?.id;
    registry.link_child(&guides, &shared)?;
    registry.link_child(&site, &shared)?;
    Ok(())
}
