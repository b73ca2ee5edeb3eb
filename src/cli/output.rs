//! How answers and errors leave the program: as text for people, as one JSON document for scripts. Answers go to
//! standard output, everything else to standard error; names from files are escaped in text; a closed pipe ends the
//! program quietly.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use serde::Serialize;

use crate::error::{Coded, Exit, document};
use crate::text::{SafeJson, visible, visible_lines};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a command has to say.
pub struct Answer {
    body: Box<dyn Body>,
    exit: Exit,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("exit", &self.exit).finish_non_exhaustive()
    }
}

/// An answer in both forms. Serialised as it is written, so that a long one is never held twice.
pub trait Body {
    /// Writes the JSON document.
    ///
    /// # Errors
    /// When writing fails.
    fn json(&self, to: &mut dyn Write) -> io::Result<()>;

    /// Writes the text.
    ///
    /// # Errors
    /// When writing fails.
    fn text(&self, to: &mut Printer<'_>) -> io::Result<()>;
}

struct Told<T, F> {
    value: T,
    text: F,
}

impl<T: Serialize, F: Fn(&T, &mut Printer<'_>) -> io::Result<()>> Body for Told<T, F> {
    fn json(&self, to: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *to, &self.value)?;
        writeln!(to)
    }

    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        (self.text)(&self.value, to)
    }
}

impl Answer {
    /// An answer: the value is the JSON document, the function tells it in text.
    pub fn new<T: Serialize + 'static>(
        value: T,
        text: impl Fn(&T, &mut Printer<'_>) -> io::Result<()> + 'static,
    ) -> Answer {
        Answer { body: Box::new(Told { value, text }), exit: Exit::Done }
    }

    /// An answer that writes itself, for what is too long or too deep to be held as one value.
    pub fn of(body: impl Body + 'static) -> Answer {
        Answer { body: Box::new(body), exit: Exit::Done }
    }

    /// The same answer with another exit status.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Answer {
        self.exit = exit;
        self
    }
}

/// Text for people, on its way out.
pub struct Printer<'a> {
    to: &'a mut dyn Write,
    color: bool,
}

/// What a piece of text stands for; its colour, where there is colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// All is well (documented, selected, created).
    Good,
    /// Something is owed, missing or refused.
    Bad,
    /// Worth a look.
    Warn,
    /// Secondary.
    Dim,
    /// A heading.
    Strong,
}

impl Printer<'_> {
    /// A printer to anywhere.
    pub fn new(to: &mut dyn Write, color: bool) -> Printer<'_> {
        Printer { to, color }
    }

    /// A line; control characters in it are made visible.
    ///
    /// # Errors
    /// When writing fails.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.to, "{}", visible(text.as_ref()))
    }

    /// Part of a line, without its end.
    ///
    /// # Errors
    /// When writing fails.
    pub fn part(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        write!(self.to, "{}", visible(text.as_ref()))
    }

    /// Part of a line in a tone.
    ///
    /// # Errors
    /// When writing fails.
    pub fn toned(&mut self, tone: Tone, text: impl AsRef<str>) -> io::Result<()> {
        if !self.color {
            return self.part(text);
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Warn => "33",
            Tone::Dim => "2",
            Tone::Strong => "1",
        };
        write!(self.to, "\x1b[{code}m{}\x1b[0m", visible(text.as_ref()))
    }

    /// A unified diff: what comes, what goes, and the rest dim.
    ///
    /// # Errors
    /// When writing fails.
    pub fn diff(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                _ => Tone::Dim,
            };
            self.toned(tone, line)?;
            self.line("")
        })
    }

    /// A text that was made to be several lines (a body): line breaks stay, a tab becomes spaces, all else is made visible.
    ///
    /// # Errors
    /// When writing fails.
    pub fn lines(&mut self, text: &str) -> io::Result<()> {
        visible_lines(text).try_for_each(|line| writeln!(self.to, "{line}"))
    }

    /// What writes itself, and escapes itself what it takes from files and names.
    ///
    /// # Errors
    /// When writing fails.
    pub fn through(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        write(self.to)
    }

    /// A JSON document that writes itself.
    ///
    /// # Errors
    /// When writing fails.
    pub fn json(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = io::BufWriter::new(SafeJson::new(&mut *self.to));
        write(&mut out)?;
        out.flush()
    }

    /// Text made by the program itself, written as it is (completions, a graph in dot).
    ///
    /// # Errors
    /// When writing fails.
    pub fn raw(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())
    }
}

/// Where answers go, and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
    color: ColorChoice,
}

impl Output {
    /// An output to the program's own streams.
    pub fn new(json: bool, color: ColorChoice) -> Output {
        Output { json, color }
    }

    /// Says an answer on standard output. A closed pipe is no error: whoever reads has read enough.
    ///
    /// # Errors
    /// When the answer cannot be written.
    pub fn say(&self, answer: &Answer) -> io::Result<Exit> {
        let stdout = io::stdout();
        let color = colored(self.color, stdout.is_terminal());
        let out = stdout.lock();
        // JSON is written in very small pieces, and is looked through in large ones
        let said = if self.json {
            let mut out = io::BufWriter::with_capacity(1 << 16, SafeJson::new(out));
            answer.body.json(&mut out).and_then(|()| out.flush())
        } else {
            let mut out = io::BufWriter::with_capacity(1 << 16, out);
            answer.body.text(&mut Printer::new(&mut out, color)).and_then(|()| out.flush())
        };
        match said {
            Ok(()) => Ok(answer.exit),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(answer.exit),
            Err(error) => Err(error),
        }
    }

    /// Says an error on standard error.
    pub fn fail(&self, error: &dyn Coded) -> Exit {
        let mut out = io::stderr().lock();
        let _ = if self.json {
            writeln!(SafeJson::new(&mut out), "{}", document(error))
        } else {
            // an error's text may be of several lines: a sentence, then what belongs to it
            error.to_string().lines().enumerate().try_for_each(|(nth, line)| {
                writeln!(out, "{}{}", if nth == 0 { "dagwood: " } else { "  " }, visible(line))
            })
        };
        error.code().exit()
    }
}

/// Says what was wrong with the arguments; help and version are answers.
pub fn usage(error: &clap::Error, json: bool) -> Exit {
    let wrong = error.use_stderr();
    if wrong && json {
        let text = error.to_string();
        let text = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().trim().to_owned();
        let _ = writeln!(SafeJson::new(io::stderr()), "{}", document(&crate::error::InvalidInput(text)));
    } else if wrong {
        // what was typed may have come from anywhere: it is shown, not sent
        let said = error.render().to_string();
        let _ = said.lines().try_for_each(|line| writeln!(io::stderr(), "{}", visible(line)));
    } else {
        let _ = error.print();
    }
    if wrong { Exit::Usage } else { Exit::Done }
}

/// Whether to use colours there.
pub(super) fn colored(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}
