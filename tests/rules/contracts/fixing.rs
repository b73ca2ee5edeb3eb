//! Section 6 of the rules: the three ways to settle what is owed, and repair, on a real disk.

use std::path::PathBuf;

use dagwood::contracts::fix::{self, FixPlan, Targets, Way, Wishes};
use dagwood::contracts::{Error, Layer, LayerPlace, layer as place};
use dagwood::edit::{self, Journal};

use super::{Doc, R, doc};

/// A layer on the disk, with a journal of its own.
struct Disk {
    dir: tempfile::TempDir,
    journal: Journal,
}

impl Disk {
    fn new() -> Disk {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let journal = Journal::at(&dir.path().join("state"), dir.path());
        Disk { dir, journal }
    }

    fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("work")
    }

    fn file(self, path: &str, text: impl AsRef<[u8]>) -> Disk {
        let file = self.top().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    fn contract(self, folder: &str, doc: &Doc) -> Disk {
        self.file(&format!("{folder}/README.md"), doc.text())
    }

    fn x(self, folder: &str) -> Disk {
        self.file(&format!("{folder}/x"), "x\n")
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.top().join(path)).unwrap()).unwrap()
    }

    fn place(&self) -> LayerPlace {
        place::find(&self.top(), None, None).unwrap_or_else(|| LayerPlace::to_begin(&self.top(), None, None))
    }

    fn layer(&self) -> Layer {
        Layer::read(&self.place())
    }

    fn plan(&self, path: &str, way: Way) -> Result<FixPlan, Error> {
        fix::plan(&self.layer(), &Targets::These(vec![path.into()]), way, &Wishes::default())
    }

    fn fix(&self, path: &str, way: Way) -> FixPlan {
        let plan = self.plan(path, way).unwrap();
        fix::carry_out(&plan, &self.place(), &self.journal).unwrap();
        plan
    }

    fn undo(&self) {
        let standing = self.journal.to_undo().unwrap();
        let _ = edit::apply(&standing.root, &standing.edits).unwrap();
        self.journal.hold().unwrap().turn(&standing.entry).unwrap();
    }

    /// Everything in it, by path.
    fn all(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        let mut open = vec![self.top()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    all.push((entry.path(), Vec::new()));
                    open.push(entry.path());
                } else {
                    all.push((entry.path(), std::fs::read(entry.path()).unwrap()));
                }
            }
        }
        all.sort();
        all
    }
}

fn owed(plan: &FixPlan) -> (usize, usize) {
    (plan.before.owed, plan.after.owed)
}

#[test]
fn write_makes_a_valid_contract_and_undo_brings_back_what_was() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x(".ai/repo/ci");
    let before = disk.all();
    let plan = disk.fix(".ai/repo/ci", Way::Write);
    assert_eq!(owed(&plan), (2, 1));
    assert!(
        disk.read(".ai/repo/ci/README.md").starts_with("---\nschema: context/v1\nid: ai.layer.ci\nkind: context\n")
    );
    assert!(
        disk.layer()
            .validate()
            .iter()
            .all(|finding| finding.path != ".ai/repo/ci/README.md" || finding.code == "new-boilerplate")
    );
    disk.undo();
    assert_eq!(disk.all(), before);
}

#[test]
fn write_guesses_ids_from_the_nearest_contract_and_makes_them_unique() {
    let disk = Disk::new()
        .contract(R, &doc("ai.repo"))
        .contract(".ai/other", &doc("ai.repo.a-b"))
        .x(".ai/repo/A b/c")
        .x(".ai/repo/a_b");
    let plan = fix::plan(&disk.layer(), &Targets::AllOwed, Way::Write, &Wishes::default()).unwrap();
    let ids: Vec<String> = plan
        .plan
        .edits
        .iter()
        .map(|edit| {
            let text = String::from_utf8(edit.after.clone().unwrap()).unwrap();
            text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids, ["ai.layer", "ai.repo.a-b-2", "ai.repo.a-b-2.c", "ai.repo.a-b-3"]);
    assert_eq!(owed(&plan), (4, 0));
    let bare = Disk::new().x(".ai/repo/x");
    assert_eq!(fix::form(&bare.layer(), ".ai/repo/x").unwrap().id, "ai.repo.x");
    assert_eq!(fix::form(&bare.layer(), ".ai").unwrap().id, "ai.layer");
}

#[test]
fn an_id_that_is_taken_is_refused_with_the_document_that_has_it() {
    let disk = Disk::new().contract(".ai", &doc("a.b")).x(".ai/repo");
    let wishes = Wishes { id: Some("a.b".into()), ..Wishes::default() };
    let refused = fix::plan(&disk.layer(), &Targets::These(vec![".ai/repo".into()]), Way::Write, &wishes).unwrap_err();
    assert_eq!(refused.to_string(), "`a.b` is already the id of .ai/README.md; choose another");
}

#[test]
fn only_ways_that_have_a_contract_to_write_in_are_offered() {
    let ways = |disk: &Disk, path: &str| fix::ways(&disk.layer(), &[path.to_owned()]);
    // a layer that is to begin, one that has begun without a contract, and one with a contract at its top
    assert_eq!(ways(&Disk::new(), ".ai"), [Way::Write]);
    let disk = Disk::new().x(".ai/repo");
    assert_eq!((ways(&disk, ".ai"), ways(&disk, ".ai/repo")), (vec![Way::Write], vec![Way::Write]));
    let disk = disk.contract(".ai", &doc("a.b"));
    assert_eq!(ways(&disk, ".ai/repo"), Way::ALL);
    let directories = [".ai", ".ai/repo"].map(str::to_owned);
    assert_eq!(fix::ways(&disk.layer(), &directories), [Way::Write], "what can be done to all of them");
}

#[test]
fn all_owed_at_once_and_undo_brings_back_every_byte() {
    let mut disk =
        Disk::new().contract(".ai", &doc("ai.layer").with("description", "a: b")).contract(R, &doc("ai.repo"));
    for nth in 0..7 {
        disk = disk.x(&format!(".ai/repo/d{nth}/Sub Folder/deeper"));
    }
    let before = disk.all();
    let plan = fix::plan(&disk.layer(), &Targets::AllOwed, Way::Write, &Wishes::default()).unwrap();
    fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap();
    assert_eq!(owed(&plan), (21, 0));
    let after = disk.all();
    assert!(before.iter().all(|file| after.contains(file)), "every prior byte is kept");
    assert_eq!(after.len(), before.len() + 21);
    disk.undo();
    assert_eq!(disk.all(), before);
    let standing = disk.journal.to_redo().unwrap();
    let _ = edit::apply(&standing.root, &standing.edits).unwrap();
    assert_eq!(disk.all(), after);
}

#[test]
fn write_begins_a_layer_and_undo_takes_its_folder_away() {
    let disk = Disk::new();
    disk.fix(".ai", Way::Write);
    assert_eq!(disk.layer().index.tallies().documented, 1);
    disk.undo();
    assert!(disk.all().is_empty());
}

#[test]
fn write_is_never_over_a_file() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x(R);
    let plan = disk.plan(R, Way::Write).unwrap();
    let disk = disk.file(".ai/repo/README.md", "mine");
    let refused = fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap_err();
    assert!(matches!(refused, Error::Edit(edit::Error::AlreadyExists { .. })));
    assert_eq!(disk.read(".ai/repo/README.md"), "mine");
    assert!(matches!(disk.plan(R, Way::Write), Err(Error::Broken { .. })));
}

#[test]
fn a_result_that_is_not_the_previewed_one_is_rolled_back() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x(R);
    let plan = disk.plan(R, Way::Write).unwrap();
    // somebody else makes another owed directory meanwhile
    let disk = disk.x(".ai/other");
    let before = disk.all();
    let refused = fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap_err();
    assert!(matches!(refused, Error::Edit(edit::Error::NotAsPreviewed { .. })), "{refused}");
    assert_eq!(disk.all(), before);
    assert!(disk.journal.list().unwrap().is_empty());
}

#[test]
fn exempt_adds_the_directory_to_the_governing_contract() {
    let governing = doc("ai.layer").requires("true");
    let disk = Disk::new().contract(".ai", &governing).contract(R, &doc("ai.repo")).x(".ai/repo/v/p");
    let plan = disk.fix(".ai/repo/v", Way::Exempt);
    assert_eq!(owed(&plan), (2, 0));
    assert_eq!(plan.after.exempt, 2);
    let old = governing.text();
    assert_eq!(disk.read(".ai/README.md"), old.replace("true\n---", "true\n  exempt: [.ai/repo/v]\n---"));
    disk.undo();
    assert_eq!(disk.read(".ai/README.md"), old);
}

#[test]
fn exempt_falls_to_the_nearest_subtree_contract() {
    let disk = Disk::new()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo"))
        .contract(".ai/repo/d", &doc("ai.d").with("scope", "directory"))
        .x(".ai/repo/d/v");
    disk.fix(".ai/repo/d/v", Way::Exempt);
    assert!(disk.read(".ai/repo/README.md").contains("exempt: [.ai/repo/d/v]"));
    let none = Disk::new().x(R);
    assert!(matches!(none.plan(R, Way::Exempt), Err(Error::NoContractAbove { .. })));
}

#[test]
fn exempt_of_all_names_only_the_uppermost() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x(".ai/a/b").x(".ai/c");
    let plan = fix::plan(&disk.layer(), &Targets::AllOwed, Way::Exempt, &Wishes::default()).unwrap();
    fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap();
    assert_eq!(owed(&plan), (3, 0));
    assert!(disk.read(".ai/README.md").contains("exempt: [.ai/a, .ai/c]"));
}

#[test]
fn lift_says_so_in_the_nearest_contract_above() {
    let disk =
        Disk::new().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo")).x(".ai/repo/s/one").x(".ai/t");
    let plan = disk.fix(".ai/repo/s", Way::Lift);
    assert_eq!(owed(&plan), (3, 1));
    assert!(disk.read(".ai/repo/README.md").ends_with("children:\n  require_contract: false\n---\n\n# Body\n"));
}

#[test]
fn lift_is_refused_where_it_would_be_an_illegal_override() {
    let disk =
        Disk::new().contract(".ai", &doc("ai.layer").requires("true")).contract(R, &doc("ai.repo")).x(".ai/repo/s");
    let refused = disk.plan(".ai/repo/s", Way::Lift).unwrap_err();
    assert!(matches!(refused, Error::IllegalOverride { .. }), "{refused}");
    // its own `true` is its own to change
    let own = Disk::new().contract(R, &doc("ai.repo").requires("true")).x(".ai/repo/s");
    own.fix(".ai/repo/s", Way::Lift);
    assert!(own.read(".ai/repo/README.md").contains("require_contract: false"));
}

#[test]
fn what_is_not_owed_is_not_released() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer").requires("false")).x(R);
    for (path, way) in [(".ai", Way::Exempt), (R, Way::Exempt), (R, Way::Lift)] {
        assert!(matches!(disk.plan(path, way), Err(Error::NothingOwed { .. })), "{path}");
    }
}

#[test]
fn nothing_is_written_outside_the_layer() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x("docs");
    for way in [Way::Write, Way::Exempt, Way::Lift] {
        assert!(matches!(disk.plan("docs", way), Err(Error::Outside { .. })));
    }
    let refused = fix::repair(&disk.layer(), "docs/x").unwrap_err();
    assert!(matches!(refused, Error::Outside { .. }), "{refused}");
}

#[test]
fn an_edit_is_refused_when_the_document_changed() {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).x(R);
    let layer = disk.layer();
    let disk = disk.contract(".ai", &doc("ai.layer").with("order", "1"));
    let refused = fix::plan(&layer, &Targets::These(vec![R.into()]), Way::Exempt, &Wishes::default()).unwrap_err();
    assert!(matches!(refused, Error::Edit(edit::Error::ChangedSince { .. })), "{refused}");
    let plan = disk.plan(R, Way::Exempt).unwrap();
    let disk = disk.contract(".ai", &doc("ai.layer").with("order", "2"));
    assert!(fix::carry_out(&plan, &disk.place(), &disk.journal).is_err());
}

/// The README.md of R after its repair; `None` when it cannot be repaired.
fn repaired(text: impl AsRef<[u8]>) -> Option<String> {
    let disk = Disk::new().contract(".ai", &doc("ai.layer")).file(".ai/repo/README.md", text).x(R);
    let plan = fix::repair(&disk.layer(), ".ai/repo/README.md").ok()?;
    fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap();
    let left = disk.layer().validate();
    assert!(left.iter().all(|finding| finding.code == "new-boilerplate"), "{left:?}");
    Some(disk.read(".ai/repo/README.md"))
}

#[test]
fn repair_mends_what_the_findings_name() {
    let sound = doc("ai.layer.repo");
    let with = |key: &str, value: &str| doc("ai.layer.repo").with(key, value).text();
    for (broken, mended) in [
        (with("description", "a: b  "), with("description", "\"a: b\"  ")),
        (with("title", "`a` b"), with("title", "\"`a` b\"")),
        (format!("\u{feff}{}", sound.text()), sound.text()),
        (with("order", "\t100"), with("order", " 100")),
        (with("order", "\"100\""), sound.text()),
        (with("order", "'100'  # c"), with("order", "100  # c")),
        (with("title", "404"), with("title", "\"404\"")),
        (with("scope", "Subtree"), sound.text()),
        (with("providers", "\"*\""), with("providers", "[\"*\"]")),
        (with("providers", "[\"*\"]  # all"), sound.text().replace("providers", "# all\nproviders")),
        (sound.text().replace("order:", "ordre:"), sound.text()),
        (sound.text().replace("order: 100\n", "order: 100\norder: 100\n"), sound.text()),
        (doc("ai.layer.repo").requires("yes").text(), doc("ai.layer.repo").requires("true").text()),
        (doc("ai.layer.repo").without("order").text(), sound.text()),
        (sound.text().replace("status: active", "status:"), sound.text()),
        (sound.text().replace("100\n---\n", "100\n"), sound.text().replace("---\n\n# Body", "\n---\n# Body")),
        (doc("AI.Layer.Repo").text(), sound.text()),
    ] {
        assert_eq!(repaired(&broken).as_ref(), Some(&mended), "{broken}");
        let crlf = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(repaired(crlf(&broken)), Some(crlf(&mended)), "{broken} with CRLF");
    }
}

#[test]
fn repair_gives_a_bare_text_its_keys_and_keeps_the_text() {
    let text = repaired("# Rules: all of them\n\ntext").unwrap();
    assert!(
        text.contains("\ntitle: \"Rules: all of them\"\n") && text.ends_with("---\n# Rules: all of them\n\ntext"),
        "{text}"
    );
    assert!(repaired("---\n---\nbody\n").unwrap().ends_with("\norder: 100\n---\nbody\n"));
    assert!(repaired("").unwrap().starts_with("---\nschema: context/v1\nid: ai.layer.repo\n"));
}

#[test]
fn repair_leaves_to_people_what_only_people_know() {
    for text in [
        doc("ai.repo").with("order", "100\norder: 101").text(),
        doc("ai.repo").with("order", "1\n<<<<<<< a\n=======\n>>>>>>> b").text(),
        doc("ai.repo").with("schema", "context/v2").text(),
        doc("ai.repo").with("kind", "adr").text(),
        doc("ai.repo").with("zzz", "1").text(),
        doc("ai.repo").with("order", "&a 1").text(),
        doc("ai.repo").text(),
    ] {
        assert_eq!(repaired(&text), None, "{text}");
    }
}

#[test]
fn repair_gives_a_fresh_id_to_one_that_is_claimed_twice() {
    let disk =
        Disk::new().contract(R, &doc("ai.repo")).contract(".ai/a", &doc("ai.same")).contract(".ai/b", &doc("ai.same"));
    let plan = fix::repair(&disk.layer(), ".ai/b").unwrap();
    assert_eq!((plan.before.documented, plan.after.documented), (1, 3));
    fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap();
    assert_eq!(disk.read(".ai/b/README.md"), doc("ai.b").text());
}

#[test]
fn repair_respells_an_exemption_that_releases_nothing() {
    let text = doc("ai.repo").exempts("v, ./.ai/repo/w/, .ai/repo/x").text();
    let disk = Disk::new().file(".ai/repo/README.md", &text).x(".ai/repo/v").x(".ai/repo/w").x(".ai/repo/x");
    let plan = fix::repair(&disk.layer(), ".ai/repo/README.md").unwrap();
    assert_eq!(owed(&plan), (3, 1));
    fix::carry_out(&plan, &disk.place(), &disk.journal).unwrap();
    assert!(disk.read(".ai/repo/README.md").contains("exempt: [\".ai/repo/v\", \".ai/repo/w\", .ai/repo/x]"));
}
