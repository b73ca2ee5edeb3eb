//! Every pane, arrangement and dialog in every look: what is said in Unicode and in ASCII, with which styles in the dark
//! and the light theme, and that without colours nothing but the colours goes.

use std::fmt::Write;

use dagwood::explorer::view::{Looks, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::session::Session;
use super::text;

/// What is on the screen: its name, its size, and the keys that lead there; after `'` stands a text that is typed.
const SCENES: &[(&str, (u16, u16), &str)] = &[
    ("resources", (100, 30), "1 l j"),
    ("resources by type", (100, 30), "1 i i"),
    ("directories", (100, 30), "2 o"),
    ("selection", (100, 30), "3 j j"),
    ("problems", (100, 30), "4 G"),
    ("all panes alike", (100, 30), "1 +"),
    ("one pane and its detail", (100, 30), "2 + +"),
    ("the detail alone", (100, 30), "2 o + + +"),
    ("the detail in focus", (100, 30), "2 o ] tab j j"),
    ("the usual small screen", (80, 24), "1"),
    ("a smaller screen", (60, 20), "2 j"),
    ("the smallest screen", (40, 10), "3"),
    ("a filter while it is typed", (100, 30), "2 / 're"),
    ("a filter that is kept", (100, 30), "3 / 'style enter"),
    ("only one state", (100, 30), "2 F F"),
    ("marked rows", (100, 30), "2 o v j v"),
    ("what may follow a key", (100, 30), "g"),
    ("help", (100, 40), "?"),
    ("help searched", (100, 30), "? 'copy"),
    ("palette", (100, 30), ": 'un"),
    ("find anything", (100, 30), "ctrl-p 'style"),
    ("tasks and writes", (100, 30), "!"),
    ("what may be linked", (100, 30), "1 L"),
    ("what may not be linked", (100, 30), "1 l j L ctrl-t"),
    ("a link before it is made", (100, 30), "1 L 'guides enter"),
    ("a link that is refused", (100, 30), "1 l j L ctrl-t 'guides enter"),
    ("a discovery before it is done", (100, 30), "1 D tab"),
    ("a resource to add", (100, 30), "1 a"),
    ("a contract to write", (100, 40), "2 o f tab"),
    ("a repair", (100, 30), "2 / 'notes enter f"),
    ("what if", (100, 30), "2 o t T"),
    ("quit with tries", (100, 30), "2 o t q"),
    ("why one contains another", (100, 30), "1 w l j w"),
    ("undo", (100, 30), "z"),
];

/// The scenes whose styles are written down.
const STYLED: &[&str] = &[
    "directories",
    "selection",
    "problems",
    "the detail in focus",
    "a filter that is kept",
    "marked rows",
    "palette",
    "a contract to write",
];

/// The explorer with a scene on its screen.
fn scene((width, height): (u16, u16), keys: &str) -> Session {
    let mut session = Session::demo(width, height);
    for word in keys.split_whitespace() {
        match word.strip_prefix('\'') {
            Some(text) => session.text(text),
            None => session.keys(word),
        };
    }
    session
}

fn theme(name: &str) -> Theme {
    match name {
        "ascii" => Theme { ascii: true, ..Theme::default() },
        "no colours" => Theme { color: false, ..Theme::default() },
        name => Theme { looks: Looks::built_in(name).unwrap(), ..Theme::default() },
    }
}

/// The runs of cells that do not look plain, a row a line: where they begin, what they look like, and their text.
fn styles(frame: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..frame.area.height {
        let mut runs: Vec<(u16, String, String)> = Vec::new();
        for x in 0..frame.area.width {
            let cell = &frame[(x, y)];
            let look = look(cell.fg, cell.bg, cell.modifier);
            match runs.last_mut() {
                Some((_, last, text)) if *last == look => text.push_str(cell.symbol()),
                _ => runs.push((x, look, cell.symbol().to_owned())),
            }
        }
        for (x, look, text) in runs.iter().filter(|(_, look, _)| !look.is_empty()) {
            let border = |c: char| "╭╮╰╯├┤─│┃ ".contains(c);
            let text = if text.chars().all(border) { "" } else { text.trim_end() };
            writeln!(out, "{y:>2}:{x:<3} {look:<18} {text}").unwrap();
        }
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn look(fg: Color, bg: Color, modifier: Modifier) -> String {
    let mut words = Vec::new();
    if fg != Color::Reset {
        words.push(fg.to_string().to_lowercase());
    }
    if bg != Color::Reset {
        words.push(format!("on {}", bg.to_string().to_lowercase()));
    }
    words.extend(modifier.iter_names().map(|(name, _)| name.to_lowercase()));
    words.join(" ")
}

#[test]
fn every_pane_arrangement_and_dialog_in_unicode_and_ascii() {
    for &(name, size, keys) in SCENES {
        let session = scene(size, keys);
        let dark = session.frame_in(theme("dark"));
        let ascii = session.frame_in(theme("ascii"));
        insta::assert_snapshot!(name.replace(' ', "_"), format!("{}\n\n{}", text(&dark), text(&ascii)));
        // the example's own texts are ASCII
        assert!(text(&ascii).is_ascii(), "{name}:\n{}", text(&ascii));
        for same in ["light", "mono", "no colours"] {
            let frame = session.frame_in(theme(same));
            assert_eq!(text(&frame), text(&dark), "{name} says something else in {same}");
            let plain = frame.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset));
            assert_eq!(plain, same != "light", "{name} in {same}");
        }
    }
}

#[test]
fn the_styles_of_the_dark_and_the_light_theme() {
    for &name in STYLED {
        let (_, size, keys) = SCENES.iter().find(|(scene, ..)| *scene == name).unwrap();
        let session = scene(*size, keys);
        let told = |look| format!("{look}\n{}", styles(&session.frame_in(theme(look))));
        insta::assert_snapshot!(
            format!("{}__styles", name.replace(' ', "_")),
            [told("dark"), told("light"), told("mono")].join("\n\n")
        );
    }
}
