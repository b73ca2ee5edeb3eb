//! Discovery, by the codes of the table: the directory holds `src/`, `docs/`, `.git/`, `README.md`, `.env` and a
//! symbolic link `loop -> .`.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use dagwood::error::{Code, Coded};
use dagwood::resources::{Discover, Discovery, Error, Opening, Reach, Registry, Resource, Watch, path_of};

use super::store::Store;

/// The rules of the first test, as lines.
const DIRECTORIES: &str = "{type: fs-directory, pattern: \"*/\"}";
const FILES: &str = "{type: fs-file, pattern: \"*\"}";

struct World {
    store: Store,
    place: tempfile::TempDir,
    root: Resource,
}

/// The fs-directory `w` at the directory, whose type has these rules.
fn world(rules: &[&str]) -> World {
    world_with(&format!("{{rules: [{}]}}", rules.join(", ")))
}

fn world_with(auto_discovery: &str) -> World {
    let place = tempfile::tempdir().unwrap();
    for folder in ["src", "docs", ".git"] {
        fs::create_dir(place.path().join(folder)).unwrap();
    }
    for file in ["README.md", ".env"] {
        fs::write(place.path().join(file), "").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", place.path().join("loop")).unwrap();
    let mut store = Store::empty();
    store.set_type(&format!(
        "name: fs-directory\nchild_types: [fs-directory, fs-file]\nauto_discovery: {auto_discovery}\n"
    ));
    let root = store.make("fs-directory", "w", place.path().to_str());
    World { store, place, root }
}

impl World {
    fn discover(&mut self) -> Discovery {
        self.try_discover(Discover::ONE_LEVEL).unwrap()
    }

    fn try_discover(&mut self, how: Discover) -> Result<Discovery, Error> {
        let cancel = AtomicBool::new(false);
        let watch = Watch { cancel: &cancel, progress: &|_| {} };
        let id = self.root.id.clone();
        let preview = self.store.registry.plan_discovery(&id, &how, &watch).map(|found| shape(&found));
        let done = self.store.registry.discover(&id, &how, &watch);
        // a dry run says what the run does
        assert_eq!(preview.ok(), done.as_ref().ok().map(shape));
        done
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn children(&self) -> String {
        self.store.children("w").replace("w/", "")
    }
}

/// A discovery without what differs from run to run.
fn shape(found: &Discovery) -> (Vec<Option<String>>, usize, usize, String) {
    let names = found.created.iter().map(|made| made.location.clone()).collect();
    (names, found.linked.len(), found.stale.len(), format!("{:?}", found.skipped))
}

fn names(found: &[Resource]) -> String {
    found.iter().map(|one| one.label().replace("w/", "")).collect::<Vec<_>>().join(" ")
}

fn reasons(found: &Discovery) -> Vec<&str> {
    found.skipped.iter().map(|skip| skip.reason.as_str()).collect()
}

#[test]
fn a1() {
    let mut world = world(&[DIRECTORIES, FILES]);
    let found = world.discover();
    assert_eq!(names(&found.created), "README.md docs src", "in byte order");
    assert!(found.created.iter().all(|made| made.auto_discovered));
    assert_eq!(reasons(&found), ["symbolic link"]);
    let src = found.created.iter().find(|made| made.name.as_deref() == Some("w/src")).unwrap();
    assert_eq!(src.type_name, "fs-directory");
    assert_eq!(path_of(src.location.as_deref().unwrap()).unwrap(), world.path("src"));
}

#[test]
fn a2() {
    let mut world = world(&[DIRECTORIES, FILES]);
    world.discover();
    for _ in 0..2 {
        let again = world.discover();
        assert!(again.created.is_empty() && again.linked.is_empty() && again.stale.is_empty());
    }
    assert_eq!(world.children(), "README.md docs src");
}

#[test]
fn a2_from_two_at_once() {
    let world = world(&[DIRECTORIES, FILES]);
    let (file, id) = (world.store.file(), world.root.id.clone());
    let created: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut registry = Registry::open_to_write(&file, Opening::default()).unwrap();
                    registry.auto_discover_children(&id).unwrap().len()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(created, 3);
    assert_eq!(world.children(), "README.md docs src");
}

#[test]
fn a3() {
    let mut world = world_with(&format!("{{enabled: false, rules: [{DIRECTORIES}]}}"));
    let found = world.discover();
    assert!(found.created.is_empty());
    assert_eq!(reasons(&found), ["disabled"]);
}

#[test]
fn a4() {
    let mut world = world(&["{type: fs-directory, pattern: \"*/\", enabled: false}", FILES]);
    let found = world.discover();
    assert_eq!(names(&found.created), "README.md");
    assert_eq!(found.skipped[0].rule.as_deref(), Some("fs-directory */"));
    assert_eq!(found.skipped[0].reason, "disabled");
}

#[test]
fn a5() {
    let mut world = world(&["{type: local/nope, pattern: \"*\"}", FILES]);
    let found = world.discover();
    assert_eq!(names(&found.created), "README.md", "its entries fall to the next rule");
    assert_eq!(found.skipped[0].reason, "child type missing");
}

#[test]
fn a6() {
    let mut world = world(&["{type: git, pattern: \".git\"}", FILES]);
    let found = world.discover();
    assert_eq!(names(&found.created), "README.md");
    assert_eq!(found.skipped[0].reason, "incompatible");
}

#[test]
fn a7() {
    let text = "name: a\nauto_discovery:\n  rules:\n    - type: b\n      pattern: \"[\"\n";
    let error = dagwood::resources::types::parse(Path::new("a.yaml"), text.as_bytes()).unwrap_err();
    let Error::TypeFile { line: 5, column: 16, message, .. } = error else { panic!("{error}") };
    assert!(message.starts_with("the pattern `[`: "), "{message}");
}

#[test]
fn a8() {
    let text = "name: a\nauto_discovery: {rules: [{type: b, pattern: */}]}\n";
    let error = dagwood::resources::types::parse(Path::new("a.yaml"), text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("quote a pattern"), "{error}");
}

#[test]
fn a9() {
    let mut world = world(&[DIRECTORIES, FILES]);
    world.discover();
    fs::remove_file(world.path("README.md")).unwrap();
    let found = world.discover();
    assert_eq!((names(&found.created), names(&found.stale)), (String::new(), "README.md".into()));
    assert_eq!(world.children(), "README.md docs src", "it is kept");
    let stale = world.store.registry.stale_children(&world.root.id).unwrap();
    let remove = dagwood::resources::Operation::RemoveAll(stale.into_iter().map(|stale| stale.id).collect());
    world.store.registry.carry_out(&remove).unwrap();
    assert_eq!(world.children(), "docs src");
}

#[test]
fn a10() {
    let mut world = world(&[DIRECTORIES]);
    let by_hand = world.store.make("fs-directory", "D9", world.path("src").to_str());
    world.store.link("w", "D9").unwrap();
    let found = world.discover();
    assert_eq!(names(&found.created), "docs");
    world.store.unlink("w", "D9").unwrap();
    let found = world.discover();
    assert_eq!((names(&found.created), names(&found.linked)), (String::new(), by_hand.label()));
    assert_eq!(world.store.children("w"), "D9 w/docs", "linked, and no twin made");
}

#[test]
fn a11() {
    let mut world = world(&["{type: fs-file, pattern: \"f*\"}"]);
    for nth in 0..10_000 {
        fs::write(world.path(&format!("f{nth:05}")), "").unwrap();
    }
    let found = world.try_discover(Discover { most: Some(1_000), ..Discover::ONE_LEVEL }).unwrap();
    assert_eq!(found.created.len(), 1_000);
    let limit = found.skipped.iter().find(|skip| skip.reason == "limit reached").unwrap();
    assert_eq!(limit.more, Some(9_000));
    let next = world.try_discover(Discover { most: Some(1_000), ..Discover::ONE_LEVEL }).unwrap();
    assert_eq!(next.created.first().and_then(|made| made.name.as_deref()), Some("w/f01000"), "it goes on");
    assert_eq!(world.discover().created.len(), 8_000, "one level has no limit of its own");
}

#[test]
fn a12() {
    let mut world = world(&[DIRECTORIES, FILES]);
    world.discover();
    let moved = world.place.path().with_extension("moved");
    fs::rename(world.place.path(), &moved).unwrap();
    assert_eq!(world.try_discover(Discover::ONE_LEVEL).unwrap_err().code(), Code::Io);
    fs::write(world.place.path(), "a file").unwrap();
    assert_eq!(world.try_discover(Discover::ONE_LEVEL).unwrap_err().code(), Code::Io);
    fs::remove_file(world.place.path()).unwrap();
    fs::rename(&moved, world.place.path()).unwrap();
    assert_eq!(world.children(), "README.md docs src", "nothing was removed");
}

#[test]
fn a12_no_location() {
    let mut world = world(&[DIRECTORIES]);
    world.store.set_type(&format!(
        "name: fs-directory\nchild_types: [fs-directory]\nhandler: directory\nauto_discovery: {{rules: [{DIRECTORIES}]}}\n"
    ));
    let nowhere = world.store.make("fs-directory", "D9", None);
    let error = world.store.registry.auto_discover_children(&nowhere.id).unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
    assert!(error.to_string().starts_with("nothing to discover: the location of D9 is not set; "), "{error}");
    let address = world.store.make("fs-directory", "D8", Some("postgres://host/db"));
    assert_eq!(world.store.registry.auto_discover_children(&address.id).unwrap_err().code(), Code::InvalidInput);
}

#[test]
fn a16() {
    let mut world = world(&["{type: fs-directory, pattern: \"s*\"}", "{type: fs-file, pattern: \"src/\"}"]);
    let found = world.discover();
    assert_eq!(found.created.len(), 1);
    assert_eq!((found.created[0].label(), found.created[0].type_name.as_str()), ("w/src".into(), "fs-directory"));
}

#[cfg(unix)]
#[test]
fn a17() {
    use std::os::unix::ffi::OsStrExt;
    let mut world = world(&["{type: fs-file, pattern: \"x*\"}"]);
    for name in [&b"x\nline"[..], b"x\xff", b"x\x1b[2J", b"x "] {
        fs::write(world.place.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    let found = world.discover();
    assert_eq!(found.created.len(), 4);
    let broken = found.created.iter().find(|made| made.name.as_deref() == Some("w/x%FF")).unwrap();
    let back = path_of(broken.location.as_deref().unwrap()).unwrap();
    assert_eq!(back.file_name().unwrap().as_bytes(), b"x\xff");
    assert!(found.created.iter().any(|made| made.name.is_none()), "a name may not end with white space");
    assert!(world.discover().created.is_empty());
}

#[test]
fn a_taken_name_leaves_the_child_without_one() {
    let mut world = world(&[DIRECTORIES]);
    world.store.make("local/any-box", "w/src", None);
    let found = world.discover();
    assert!(
        found.created.iter().any(|made| made.name.is_none() && made.location.as_deref() == world.path("src").to_str())
    );
    assert!(world.discover().created.is_empty());
}

#[test]
fn placeholders_are_made_once() {
    let mut store = Store::empty();
    store.set_type("name: local/any-box\nchild_types: [git, fs-file]\nauto_discovery: {rules: [{type: git}, {type: fs-file, pattern: \"*\"}]}\n");
    let root = store.make("local/any-box", "B1", None);
    let made = store.registry.auto_discover_children(&root.id).unwrap();
    assert_eq!(made.iter().map(|made| made.type_name.as_str()).collect::<Vec<_>>(), ["git", "fs-file"]);
    assert!(made.iter().all(|made| made.name.is_none() && made.location.is_none() && made.auto_discovered));
    assert!(store.registry.auto_discover_children(&root.id).unwrap().is_empty());
}

#[test]
fn recursion_goes_on_into_what_was_found_as_deep_as_it_may() {
    let mut world = world(&[DIRECTORIES, FILES]);
    fs::create_dir_all(world.path("src/a/b")).unwrap();
    fs::write(world.path("src/a/b/c.rs"), "").unwrap();
    let deep = Discover { reach: Reach::Recursive { depth: 2 }, most: None };
    let found = world.try_discover(deep).unwrap();
    assert_eq!(names(&found.created), "README.md docs src src/a");
    assert!(reasons(&found).contains(&"depth of 2 reached"));
    let found = world.try_discover(Discover::RECURSIVE).unwrap();
    assert_eq!(names(&found.created), "src/a/b src/a/b/c.rs");
    fs::remove_file(world.path("src/a/b/c.rs")).unwrap();
    assert_eq!(names(&world.try_discover(Discover::RECURSIVE).unwrap().stale), "src/a/b/c.rs");
}

#[test]
fn a_link_that_would_close_a_cycle_is_skipped_with_the_reason() {
    let mut world = world(&[DIRECTORIES]);
    // somebody put the directory under its own subdirectory
    world.store.make("fs-directory", "D9", world.path("src").to_str());
    world.store.link("D9", "w").unwrap();
    let found = world.discover();
    assert_eq!(names(&found.created), "docs");
    assert!(reasons(&found).iter().any(|reason| reason.starts_with("cannot put D9 under w")), "{found:?}");
}

#[test]
fn a_cancelled_scan_writes_nothing_and_a_cancelled_run_leaves_whole_rows() {
    let mut world = world(&["{type: fs-file, pattern: \"f*\"}"]);
    for nth in 0..22_000 {
        fs::write(world.path(&format!("f{nth:05}")), "").unwrap();
    }
    let cancel = AtomicBool::new(true);
    let watch = Watch { cancel: &cancel, progress: &|_| {} };
    let id = world.root.id.clone();
    let error = world.store.registry.discover(&id, &Discover::ONE_LEVEL, &watch).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    assert_eq!(world.store.registry.counts().unwrap().resources, 1);
    // stopped as soon as the first transaction is in
    cancel.store(false, Ordering::Relaxed);
    let told = Cell::new(0);
    let progress = |progress: dagwood::resources::Progress| {
        told.set(told.get() + 1);
        if progress.done == 20_000 {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let watch = Watch { cancel: &cancel, progress: &progress };
    let error = world.store.registry.discover(&id, &Discover::ONE_LEVEL, &watch).unwrap_err();
    assert!(error.to_string().contains("of 22,000 are in; the next discovery goes on"), "{error}");
    assert!(told.get() > 1);
    let counts = world.store.registry.counts().unwrap();
    assert_eq!((counts.resources, counts.links), (20_001, 20_000));
    assert_eq!(world.discover().created.len(), 2_000);
}

#[test]
fn of_several_the_ones_that_are_done_are_told_when_the_next_is_stopped_or_fails() {
    let says = "1 of 2 resources are done; at the next one: ";
    for (second, stops, code, why) in
        [("gone", false, Code::Io, "cannot "), ("docs", true, Code::Cancelled, "stopped; nothing was written")]
    {
        let cancel = AtomicBool::new(false);
        let progress = |_| cancel.store(stops, Ordering::Relaxed);
        let mut world = world(&[DIRECTORIES]);
        let second = world.store.make("fs-directory", "second", world.path(second).to_str());
        let ids = [world.root.id.clone(), second.id];
        let watch = Watch { cancel: &cancel, progress: &progress };
        let error = world.store.registry.discover_all(&ids, &Discover::ONE_LEVEL, &watch).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with(&format!("{says}{why}")), "{error}");
        assert!(world.store.registry.counts().unwrap().resources > 2, "the first is done");
        // of one alone there is nothing else to tell
        let error = world.store.registry.discover_all(&ids[1..], &Discover::ONE_LEVEL, &watch).unwrap_err();
        assert!(!matches!(error, Error::Partly { .. }), "{error}");
    }
}

#[test]
fn rules_that_find_nothing_say_so() {
    let mut world = world(&["{type: fs-file, pattern: \"*.rs\"}", "{type: fs-directory}"]);
    assert_eq!(reasons(&world.discover()), ["no match", "no pattern"]);
}

#[test]
fn in_a_checkout_the_repository_is_one_child() {
    let mut world = world(&[]);
    world.store.set_type(
        "name: git-checkout\nchild_types: [git, fs-directory, fs-file]\nauto_discovery: {rules: [{type: git, pattern: \".git/\"}, \
         {type: fs-directory, pattern: \"*/\"}, {type: fs-directory, pattern: \".*/\"}]}\n",
    );
    let checkout = world.store.make("git-checkout", "G1", world.place.path().to_str());
    let made = world.store.registry.auto_discover_children(&checkout.id).unwrap();
    let found: Vec<_> = made.iter().map(|made| (made.label(), made.type_name.as_str())).collect();
    assert_eq!(
        found,
        [("G1/.git".into(), "git"), ("G1/docs".into(), "fs-directory"), ("G1/src".to_owned(), "fs-directory")]
    );
}

/// Runs git, far from the machine's own configuration.
fn git(at: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.current_dir(at).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with two branches, a tag, a remote, a further work tree and a submodule.
fn repository(dir: &Path) -> PathBuf {
    let (part, top) = (dir.join("part"), dir.join("top"));
    for place in [&part, &top] {
        fs::create_dir(place).unwrap();
        git(place, &["init", "-q", "-b", "main"]);
        git(place, &["commit", "-q", "--allow-empty", "-m", "one"]);
    }
    git(&top, &["branch", "feature/x"]);
    git(&top, &["tag", "v1"]);
    git(&top, &["remote", "add", "origin", "https://example.org/top.git"]);
    git(&top, &["submodule", "add", "-q", part.to_str().unwrap(), "libs/part"]);
    git(&top, &["commit", "-q", "-m", "two"]);
    git(&top, &["worktree", "add", "-q", "../side", "feature/x"]);
    top
}

/// What a git resource at this place finds, as type and entry.
fn found_by_git(store: &mut Store, name: &str, place: &Path) -> Vec<String> {
    let id = store.make("git", name, place.to_str()).id;
    let made = store.registry.auto_discover_children(&id).unwrap();
    made.iter()
        .map(|made| format!("{} {}", made.type_name, made.label().replacen(&format!("{name}/"), "", 1)))
        .collect()
}

/// A store with the built-in types, as they are.
fn plain_store() -> Store {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open_to_write(&dir.path().join("registry.db"), super::store::quick()).unwrap();
    Store { dir, registry }
}

#[test]
fn git_is_asked_for_what_it_knows() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    let top = repository(&place);
    let mut store = plain_store();
    let all = [
        "git-branch heads/feature/x",
        "git-branch heads/main",
        "git-tag tags/v1",
        "git-remote remotes/origin",
        "git-submodule modules/libs/part",
        "git-worktree worktrees/side",
    ];
    assert_eq!(found_by_git(&mut store, "g", &top.join(".git")), all);
    let remote = store.registry.find("g/remotes/origin", dagwood::resources::Role::Resource).unwrap();
    assert_eq!(remote.description.as_deref(), Some("https://example.org/top.git"));
    // a linked work tree's `.git` is a file, and knows the same branches
    let linked = found_by_git(&mut store, "linked", &place.join("side/.git"));
    assert!(linked.contains(&"git-branch heads/main".to_owned()), "{linked:?}");
    git(&place, &["clone", "-q", "--bare", "top", "bare.git"]);
    let bare = found_by_git(&mut store, "bare", &place.join("bare.git"));
    assert_eq!(bare[..3], all[..3]);
    assert!(bare.contains(&"git-submodule modules/libs/part".to_owned()), "{bare:?}");
}

#[test]
fn what_git_forgot_is_stale_and_comes_back_after_unlinking() {
    let dir = tempfile::tempdir().unwrap();
    let top = repository(&dir.path().canonicalize().unwrap());
    let mut store = plain_store();
    found_by_git(&mut store, "g", &top.join(".git"));
    git(&top, &["tag", "-d", "v1"]);
    git(&top, &["worktree", "remove", "../side"]);
    let stale = store.registry.stale_children(&store.id("g")).unwrap();
    let stale: Vec<String> = stale.iter().map(Resource::label).collect();
    assert_eq!(stale, ["g/tags/v1", "g/worktrees/side"]);
    assert!(store.unlink("g", "g/heads/main").unwrap()[0].contains("brings g/heads/main back"));
}

#[test]
fn a_checkout_is_discovered_down_to_its_branches_and_a_broken_repository_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let top = repository(&dir.path().canonicalize().unwrap());
    let mut store = plain_store();
    let checkout = store.make("git-checkout", "c", top.to_str());
    let watch = Watch { cancel: &AtomicBool::new(false), progress: &|_| {} };
    let found = store.registry.discover(&checkout.id, &Discover::RECURSIVE, &watch).unwrap();
    let names: Vec<String> = found.created.iter().map(Resource::label).collect();
    assert!(names.contains(&"c/.git/heads/main".to_owned()) && names.contains(&"c/libs/part".to_owned()), "{names:?}");
    // `.git` is git's and no directory of its own
    assert!(!names.iter().any(|name| name == "c/.git/refs"));
    let broken = dir.path().join("broken");
    fs::create_dir_all(broken.join(".git")).unwrap();
    fs::write(broken.join("file"), "").unwrap();
    let checkout = store.make("git-checkout", "b", broken.to_str());
    let found = store.registry.discover(&checkout.id, &Discover::RECURSIVE, &watch).unwrap();
    assert_eq!(found.created.len(), 2);
    assert!(found.skipped.iter().any(|skip| skip.reason.starts_with("git cannot read ")), "{:?}", found.skipped);
    let error = store.registry.auto_discover_children(&store.id("b/.git")).unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
}

#[test]
fn what_git_was_not_asked_for_is_not_stale() {
    let dir = tempfile::tempdir().unwrap();
    let top = repository(&dir.path().canonicalize().unwrap());
    let mut store = Store::empty();
    let id = store.make("git", "r", top.join(".git").to_str()).id;
    store.registry.auto_discover_children(&id).unwrap();
    // the rule for branches is turned off: they are still there
    store.set_type("name: git\nchild_types: [git-branch, git-tag]\nauto_discovery: {rules: [{type: git-branch, enabled: false}, {type: git-tag}]}\n");
    let never = std::sync::atomic::AtomicBool::new(false);
    let watch = Watch { cancel: &never, progress: &|_| {} };
    let again = store.registry.discover(&id, &Discover::ONE_LEVEL, &watch).unwrap();
    assert!(again.stale.is_empty(), "{:?}", again.stale);
}
