//! The pictures of the README: frames of the explorer on the example workspace, as SVG. They are stored in
//! `assets/pictures/`; a stored one that is not what the explorer shows now fails here.
//! `UPDATE_PICTURES=1 cargo test --test pictures` renews them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../screens/session.rs"]
mod session;
mod svg;

use std::path::Path;

use session::Session;

const WIDTH: u16 = 110;
const HEIGHT: u16 = 32;

/// Compares the stored picture with what is on the screen now, or stores that.
fn picture(name: &str, about: &str, session: &Session) {
    let drawn = svg::picture(&session.frame(), &format!("dagwood  {}", session::PLACE), about);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures").join(format!("{name}.svg"));
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, drawn).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if stored == drawn {
        return;
    }
    let differs = stored.lines().zip(drawn.lines()).find(|(old, new)| old != new);
    let (old, new) = differs.unwrap_or(("(nothing, or fewer lines)", "(more or fewer lines)"));
    panic!(
        "{} is not what the explorer shows now.\n  stored: {old}\n  now:    {new}\n\
         Renew it with `UPDATE_PICTURES=1 cargo test --test pictures`, and look at it before you commit it.",
        file.display()
    );
}

#[test]
fn resources() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("1 l j j l j l j");
    picture("resources", "The resources as a tree; local/shared stands under three parents", &session);
}

#[test]
fn directories() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("o o o ]");
    picture("directories", "The layer's directories; what applies to an owed one, and why", &session);
}

#[test]
fn selection() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("3 / ").text("checklist").keys("enter");
    picture("selection", "The selected items; every reason why a skill is installed", &session);
}

#[test]
fn problems() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("4 G k");
    picture("problems", "Every finding; a broken contract with the line that breaks it", &session);
}

#[test]
fn fix() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("o f");
    picture("fix", "The contract that would be written, and the tallies before and after", &session);
}

#[test]
fn refused() {
    let mut session = Session::demo(WIDTH, HEIGHT);
    session.keys("1 l j L ctrl-t").text("guides").keys("enter");
    picture("refused", "A link that would close a cycle, refused with the path of the cycle", &session);
}
