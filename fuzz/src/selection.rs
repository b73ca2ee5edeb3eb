//! What is read of packages: the front matter of items, manifests, locks, plugin manifests.

use std::path::Path;

use dagwood::finding::Finding;
use dagwood::selection::front_matter::{Remark, parse};
use dagwood::selection::lock;
use dagwood::selection::manifest::{Manifest, Owner, Read, filter, overrides, parse as parse_manifest};
use dagwood::selection::project::Project;
use dagwood::selection::rewrite::{Change, rewrite};
use dagwood::selection::{Environment, Filter, ProjectPlace, findings, select};

use super::is_in;

/// An agent or a skill: lines are lines of the file; a byte order mark, and text after the block, change nothing.
pub fn item(data: &[u8]) {
    let read = parse(data);
    is_in(data, read.skills_line, None);
    for remark in &read.remarks {
        if let Remark::Broken { line, message } = remark {
            assert!(!message.is_empty());
            is_in(data, *line, None);
        }
    }
    let mark = b"\xef\xbb\xbf";
    if !data.starts_with(mark) {
        assert_eq!(parse(&[mark, data].concat()), read);
    }
    if !read.remarks.contains(&Remark::Unclosed) {
        assert_eq!(parse(&[data, b"\nmore text\n"].concat()), read);
    }
}

/// A `mars.toml`, and a `mars.local.toml`: places are places of the file, both owners read the same, and entries are
/// changed so that nothing but them is.
pub fn manifest(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = filter(&text);
    match overrides(&text, "mars.local.toml") {
        Ok((_, findings)) => findings.iter().for_each(|finding| place(&text, finding)),
        Err(broken) => is_in(text.as_bytes(), Some(broken.line), Some(broken.column)),
    }
    let read = |owner| parse_manifest(&text, "mars.toml", owner);
    match (read(Owner::Project), read(Owner::Package)) {
        (Read::Own(yours), Read::Own(theirs)) => {
            assert_eq!(yours.manifest, theirs.manifest);
            yours.findings.iter().chain(&theirs.findings).for_each(|finding| place(&text, finding));
            rewritten(&text, &yours.manifest);
        }
        (Read::Broken(broken), Read::Broken(_)) => is_in(text.as_bytes(), Some(broken.line), Some(broken.column)),
        (Read::Foreign, Read::Foreign) => {}
        other => panic!("the owner changes what is read: {other:?}"),
    }
}

fn place(text: &str, finding: &Finding) {
    is_in(text.as_bytes(), finding.line, finding.column);
}

fn rewritten(text: &str, manifest: &Manifest) {
    for entry in manifest.dependencies.iter().chain(&manifest.local_dependencies).take(3) {
        if let Ok(dropped) = rewrite(text, &[(entry.key.clone(), Change::Drop)]) {
            let mut left = text.bytes();
            assert!(
                dropped.bytes().all(|byte| left.any(|old| old == byte)),
                "dropping an entry adds nothing: {dropped}"
            );
        }
        let to = |filter: Filter| Change::Filter(filter);
        let Ok(there) = rewrite(text, &[(entry.key.clone(), to(Filter::Exclude(vec!["a\"\\b".into()])))]) else {
            continue;
        };
        if let Ok(back) = rewrite(&there, &[(entry.key.clone(), to(entry.filter.clone()))]) {
            let Read::Own(again) = parse_manifest(&back, "mars.toml", Owner::Project) else { panic!("{back}") };
            let filters = |manifest: &Manifest| {
                let entries = manifest.dependencies.iter().chain(&manifest.local_dependencies);
                entries.map(|entry| (entry.key.clone(), entry.filter.clone())).collect::<Vec<_>>()
            };
            assert_eq!(filters(&again.manifest), filters(manifest), "there and back: {back}");
        }
    }
}

/// A `mars.lock`: places are places of the file.
pub fn lock(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match lock::parse(&text, "mars.lock") {
        Ok(lock) => {
            let packages = lock.dependencies.iter().map(|package| package.place.line);
            packages.chain(lock.items.iter().map(|item| item.place.line)).for_each(|line| {
                is_in(text.as_bytes(), Some(line), None);
            });
        }
        Err(broken) => is_in(text.as_bytes(), Some(broken.line), Some(broken.column)),
    }
}

/// Both plugin manifests of a package without `mars.toml`: whatever they name, every item lies in the package.
pub fn plugin(data: &[u8]) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| dir.path().join("here").join(name);
    let write = |file: &Path, content: &[u8]| {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, content).expect("a file");
    };
    write(&dir.path().join("skills/secret/SKILL.md"), b"");
    write(&dir.path().join("agents/secret.md"), b"");
    write(&at("mars.toml"), b"[dependencies.p]\npath = 'p'\nplugin = 'one'\n");
    write(&at("p/extra/one/SKILL.md"), b"---\nname: one\n---\n");
    write(&at("p/extra/who.md"), b"");
    write(&at("p/.claude-plugin/plugin.json"), data);
    write(&at("p/.claude-plugin/marketplace.json"), data);
    #[cfg(unix)]
    for (name, to) in [("p/out", "../.."), ("p/extra/out.md", "../../../agents/secret.md")] {
        std::os::unix::fs::symlink(to, at(name)).expect("a link");
    }
    let project = Project::read(&ProjectPlace { root: at("") }, &Environment::default());
    for item in project.packages.iter().flat_map(|package| package.contents.items.iter()) {
        assert!(!item.file.contains("secret") && !item.file.contains(".."), "{}", item.file);
    }
    let _ = findings(&project, &select(project.graph()));
}
