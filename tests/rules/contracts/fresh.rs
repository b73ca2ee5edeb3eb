//! Freshness: a layer read anew after a change is the layer read from the beginning.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use dagwood::contracts::{Fresh, Layer, LayerPlace, Request, layer};

use super::{R, doc};

struct Repository {
    dir: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        Repository { dir: tempfile::tempdir().unwrap() }
    }

    fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.top().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    fn remove(&self, path: &str) -> PathBuf {
        std::fs::remove_file(self.top().join(path)).unwrap();
        self.top().join(path)
    }

    fn git(&self, arguments: &[&str]) -> PathBuf {
        assert!(Command::new("git").args(arguments).current_dir(self.top()).status().unwrap().success());
        self.top().join(".git/index")
    }

    fn place(&self) -> LayerPlace {
        let top = self.top();
        let git = top.join(".git").exists();
        layer::find(&top, git.then_some(top.as_path()), None).unwrap()
    }
}

fn told(layer: &Layer) -> (serde_json::Value, Vec<dagwood::finding::Finding>) {
    let report = layer.list(&Request { effective: true, ..Request::default() }).unwrap();
    (serde_json::to_value(report).unwrap(), layer.validate())
}

/// After a change, the layer read anew must be the layer read from the beginning.
#[track_caller]
fn same_as_read(repository: &Repository, layer: &mut Layer, changed: PathBuf) {
    if let Fresh::Changed(next) = layer.reread(&[changed]) {
        *layer = *next;
    }
    assert_eq!(told(layer), told(&Layer::read(&repository.place())));
}

fn repository(tracked: bool) -> (Repository, Layer) {
    let repository = Repository::new();
    repository.write(".ai/README.md", doc("ai.layer").text());
    repository.write(".ai/repo/x", "x");
    repository.write(".ai/repo/zz.md", "# plain\n");
    repository.write(".ai/a/README.md", doc("ai.a").text());
    repository.write(".ai/lone/README.md", doc("ai.lone").text());
    if tracked {
        repository.git(&["init", "-q"]);
        repository.git(&["add", "-A"]);
    }
    let layer = Layer::read(&repository.place());
    (repository, layer)
}

#[test]
fn every_kind_of_change_is_seen() {
    for tracked in [true, false] {
        let (here, mut layer) = repository(tracked);
        let layer = &mut layer;
        // an edit, a break, an id claimed twice, a file that becomes a document and ceases to be one
        same_as_read(&here, layer, here.write(".ai/README.md", doc("ai.layer").requires("false").text()));
        same_as_read(&here, layer, here.write(".ai/a/README.md", "torn"));
        same_as_read(&here, layer, here.write(".ai/a/README.md", doc("ai.layer").text()));
        same_as_read(&here, layer, here.write(".ai/a/README.md", doc("ai.a").text()));
        same_as_read(&here, layer, here.write(".ai/repo/zz.md", doc("ai.z").text()));
        same_as_read(&here, layer, here.write(".ai/repo/zz.md", "# plain\n"));
        same_as_read(&here, layer, here.write(".ai/lone/README.md", "torn"));
        same_as_read(&here, layer, here.write(".ai/lone/README.md", doc("ai.lone").text()));
        // one that is not tracked comes, counts, and goes
        same_as_read(&here, layer, here.write(".ai/repo/README.md", doc("ai.repo").text()));
        assert_eq!(layer.index.tallies().documented, 4);
        same_as_read(&here, layer, here.write(".ai/repo/zz.md", doc("ai.z").text()));
        same_as_read(&here, layer, here.write(".ai/repo/zz.md", "# plain\n"));
        same_as_read(&here, layer, here.remove(".ai/repo/README.md"));
        // one goes that was read from the beginning
        same_as_read(&here, layer, here.remove(".ai/a/README.md"));
        same_as_read(&here, layer, here.write(".ai/a/README.md", doc("ai.a").text()));
        // other files, new folders
        same_as_read(&here, layer, here.write(".ai/repo/x", "y"));
        same_as_read(&here, layer, here.write(".ai/new/x", "y"));
        if tracked {
            same_as_read(&here, layer, here.git(&["add", "-A"]));
            assert!(layer.index.find(b".ai/new").is_some());
        }
    }
}

#[test]
fn what_is_no_business_of_the_layer_changes_nothing() {
    let (here, layer) = repository(true);
    for path in ["docs/a.md", ".ai/local/README.md", ".ai/repo/new.yaml", ".aix/README.md"] {
        assert!(matches!(layer.reread(&[here.write(path, doc("ai.x").text())]), Fresh::Same), "{path}");
    }
    let same = here.write(".ai/README.md", doc("ai.layer").text());
    assert!(matches!(layer.reread(&[same]), Fresh::Same));
}

#[test]
fn a_fingerprint_tells_what_changed() {
    for tracked in [true, false] {
        let (here, layer) = repository(tracked);
        let before = layer.fingerprint();
        assert!(layer.fingerprint().since(&before).is_empty());
        let edited = here.write(".ai/README.md", doc("ai.layer").with("order", "7").text());
        let added = here.write(".ai/repo/README.md", doc("ai.repo").text());
        let changed = layer.fingerprint().since(&before);
        assert!(changed.contains(&edited) && changed.contains(&added), "{changed:?}");
        let Fresh::Changed(next) = layer.reread(&changed) else { panic!("nothing changed") };
        assert!(next.index.contract_of(next.index.find(R.as_bytes()).unwrap()).is_some());
    }
}

#[test]
fn what_was_written_since_a_moment_is_told_and_what_is_gone() {
    for tracked in [true, false] {
        let (here, layer) = repository(tracked);
        let moment = SystemTime::now() + Duration::from_hours(1);
        assert!(layer.written_since(moment).is_empty(), "all of it is older");
        let file = here.write(".ai/a/README.md", doc("ai.other").text());
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(moment).unwrap();
        assert_eq!(layer.written_since(moment), [file]);
        let gone = here.remove(".ai/lone/README.md");
        assert!(layer.written_since(moment).contains(&gone));
    }
}
