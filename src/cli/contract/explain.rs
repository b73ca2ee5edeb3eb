//! `contract explain`: what applies to a path and why, what was left out and why, and what would change its state.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::super::Context;
use super::super::output::{Answer, Printer, Tone};
use super::table;
use crate::contracts::compose::Composed;
use crate::contracts::explain::{self, Explanation, LeftOut, Outside, Reader};
use crate::contracts::layer::Asked;
use crate::contracts::resolve::{self, DirectoryView};
use crate::contracts::{Audience, DocumentId, Fate, Index, RepoPath, State};
use crate::error::Failure;

/// How many documents that lie elsewhere are told in text.
const TOLD_ELSEWHERE: usize = 10;

/// What to explain, and to whom.
#[derive(Debug, Args)]
pub struct Explain {
    /// A folder, a file (it stands for its folder), or a path outside the layer
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Only what is for this provider
    #[arg(long, value_name = "P")]
    provider: Option<String>,
    /// Only what is for this audience: human or agent
    #[arg(long, value_name = "A", value_parser = audience)]
    audience: Option<Audience>,
    /// With the composed text of the chain, made safe to show; --json has it as it is
    #[arg(long)]
    text: bool,
}

fn audience(word: &str) -> Result<Audience, String> {
    Audience::of(word).ok_or_else(|| format!("expected one of {}", Audience::WORDS.join(", ")))
}

impl Explain {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        context.named_layer()?;
        let layer = super::read(context);
        let reader = Reader { provider: self.provider, audience: self.audience };
        match layer.asked(&super::locate(context, &layer, &self.path))? {
            Asked::Directory(folder) => {
                let explanation = explain::explain(&layer.index, folder, &reader);
                let composed = if self.text { Some(layer.composed(&explanation.chain)?) } else { None };
                let index = Arc::clone(&layer.index);
                Ok(Answer::new(Told { index, explanation, reader, composed }, Told::text))
            }
            Asked::Outside(path) => {
                let outside = explain::outside(&layer.index, &path, &reader);
                let there = layer.place.top.join(&path).symlink_metadata().is_ok();
                let similar = if there { Vec::new() } else { resolve::similar(&layer.index, &path) };
                let index = Arc::clone(&layer.index);
                Ok(Answer::new(ToldOutside { index, path, outside, similar }, ToldOutside::text))
            }
        }
    }
}

struct Told {
    index: Arc<Index>,
    explanation: Explanation,
    reader: Reader,
    composed: Option<Composed>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    directory: DirectoryView<'a>,
    left_out: Vec<Omission<'a>>,
    would_change: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audience: Option<Audience>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<&'a RepoPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
}

#[derive(Serialize)]
struct Omission<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    path: &'a RepoPath,
    reason: String,
}

#[derive(Serialize)]
struct Text<'a> {
    bytes: usize,
    parts: Vec<Share<'a>>,
    whole: String,
}

#[derive(Serialize)]
struct Share<'a> {
    path: &'a RepoPath,
    bytes: usize,
    percent: usize,
}

impl Serialize for Told {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Told { index, explanation, reader, composed } = self;
        let view = DirectoryView::new(index, explanation.directory, &explanation.chain);
        let whole = Document {
            directory: view,
            left_out: explanation.left_out.iter().map(|left| omission(index, left)).collect(),
            would_change: explanation.turns.iter().map(|turn| turn.words(index)).collect(),
            provider: reader.provider.as_deref(),
            audience: reader.audience,
            broken: broken(index, explanation).map(|id| &index.document(id).path).collect(),
            text: composed.as_ref().map(|composed| Text {
                bytes: composed.bytes(),
                parts: shares(composed),
                whole: composed.text(),
            }),
        };
        whole.serialize(to)
    }
}

fn omission<'a>(index: &'a Index, left: &LeftOut) -> Omission<'a> {
    let document = index.document(left.document);
    let id = document.contract.as_ref().ok().map(|contract| contract.id.as_str());
    Omission { id, path: &document.path, reason: left.words(index) }
}

fn shares(composed: &Composed) -> Vec<Share<'_>> {
    let share = |part| composed.share(part);
    composed.parts.iter().map(|part| Share { path: &part.path, bytes: part.body.len(), percent: share(part) }).collect()
}

fn broken<'a>(index: &'a Index, explanation: &Explanation) -> impl Iterator<Item = DocumentId> + 'a {
    index.documents_in(explanation.directory).filter(|id| matches!(index.fate(*id), Fate::Dropped(_)))
}

impl Told {
    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        let Told { index, explanation, reader, composed } = self;
        let standing = index.standing(explanation.directory);
        to.toned(Tone::Strong, index.path(explanation.directory).text())?;
        let tone = if standing.state == State::Owed { Tone::Bad } else { Tone::Good };
        to.part("  ")?;
        to.toned(tone, standing.mark().told())?;
        to.line("")?;
        let path = |id: DocumentId| index.document(id).path.clone();
        to.line(format!("  {}", explain::requirement(index, explanation.directory)))?;
        for id in broken(index, explanation) {
            to.toned(Tone::Bad, format!("  broken: {}", path(id)))?;
            to.line("")?;
        }
        if reader.provider.is_some() || reader.audience.is_some() {
            let provider = reader.provider.iter().map(|provider| format!("provider {provider}"));
            let audience = reader.audience.iter().map(|audience| format!("audience {audience}"));
            let for_whom: Vec<String> = provider.chain(audience).collect();
            to.line(format!("  as read by {}", for_whom.join(", ")))?;
        }
        to.line("What applies here")?;
        if explanation.chain.is_empty() {
            to.line("  nothing")?;
        }
        let rows: Vec<[String; 5]> = explanation.chain.iter().map(|step| step_row(index, step)).collect();
        table(&rows, to)?;
        self.left_out(to)?;
        to.line("What would change its state")?;
        for turn in &explanation.turns {
            to.line(format!("  {}", turn.words(index)))?;
        }
        if let Some(composed) = composed {
            to.line(format!("What a reader is told: {} bytes", composed.bytes()))?;
            for Share { path, bytes, percent } in shares(composed) {
                to.line(format!("  {percent:>3}%  {bytes:>8}  {path}"))?;
            }
            to.line("")?;
            to.lines(&composed.text())?;
        }
        Ok(())
    }

    fn left_out(&self, to: &mut Printer<'_>) -> io::Result<()> {
        let (index, left_out) = (&self.index, &self.explanation.left_out);
        if left_out.is_empty() {
            return Ok(());
        }
        to.line("Left out")?;
        let (near, elsewhere): (Vec<_>, Vec<_>) = left_out.iter().partition(|left| left.why.is_near());
        let told: Vec<&LeftOut> = near.into_iter().chain(elsewhere.iter().copied().take(TOLD_ELSEWHERE)).collect();
        let rows: Vec<[String; 3]> = told
            .iter()
            .map(|left| {
                let Omission { id, path, reason } = omission(index, left);
                [id.unwrap_or("?").to_owned(), path.to_string(), reason]
            })
            .collect();
        table(&rows, to)?;
        let more = elsewhere.len().saturating_sub(TOLD_ELSEWHERE);
        if more > 0 {
            to.line(format!("  and {more} more that hold elsewhere (all of them with --json)"))?;
        }
        Ok(())
    }
}

fn step_row(index: &Index, step: &crate::contracts::Step) -> [String; 5] {
    let contract = index.contract(step.document);
    [
        step.depth.to_string(),
        contract.map_or(0, |contract| contract.order).to_string(),
        contract.map_or("", |contract| &contract.id).to_owned(),
        index.document(step.document).path.to_string(),
        step.reason.words().to_owned(),
    ]
}

struct ToldOutside {
    index: Arc<Index>,
    path: String,
    outside: Outside,
    /// Directories that may have been meant, where nothing is there.
    similar: Vec<String>,
}

impl Serialize for ToldOutside {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            path: &'a str,
            outside: bool,
            applies: Vec<Applies<'a>>,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            similar: &'a [String],
        }
        Whole { path: &self.path, outside: true, applies: self.applies(), similar: &self.similar }.serialize(to)
    }
}

#[derive(Serialize)]
struct Applies<'a> {
    id: &'a str,
    path: &'a RepoPath,
    reason: String,
}

impl ToldOutside {
    fn applies(&self) -> Vec<Applies<'_>> {
        let entry = |id: DocumentId, reason: String| Applies {
            id: self.index.contract(id).map_or("", |contract| &contract.id),
            path: &self.index.document(id).path,
            reason,
        };
        let root = self.outside.root.map(|id| entry(id, "the root contract".to_owned()));
        let tracking = self.outside.tracking.iter().map(|(id, spec)| entry(*id, format!("tracks {spec}")));
        root.into_iter().chain(tracking).collect()
    }

    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        to.toned(Tone::Strong, &self.path)?;
        to.line("  outside the layer")?;
        if !self.similar.is_empty() {
            to.line(format!("  nothing is there; did you mean `{}`?", self.similar.join("`, `")))?;
        }
        to.line("What applies here")?;
        let applies = self.applies();
        if applies.is_empty() {
            to.line("  nothing")?;
        }
        let rows: Vec<[String; 3]> = applies
            .iter()
            .map(|applies| [applies.id.to_owned(), applies.path.to_string(), applies.reason.clone()])
            .collect();
        table(&rows, to)
    }
}
