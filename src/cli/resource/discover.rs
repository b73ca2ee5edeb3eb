//! `resource discover`.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;

use super::{DryRun, find};
use crate::cli::Context;
use crate::cli::output::{Answer, Printer, Tone};
use crate::error::Failure;
use crate::mark::Mark;
use crate::resources::{self, Discovery, Progress, Reach, Resource, Watch, thousands};
use crate::text::command;

/// So many of each kind are written out for people.
const SHOWN: usize = 20;

/// Finds children.
#[derive(Debug, Args)]
pub struct Discover {
    /// Its name or id
    resource: String,
    /// Go on into what is found
    #[arg(long)]
    recursive: bool,
    /// How many levels to go down
    #[arg(long, value_name = "N", default_value_t = 16, requires = "recursive", value_parser = at_least_one)]
    depth: usize,
    /// How many resources to make at most [default: no limit; with --recursive 100000]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    dry: DryRun,
}

/// A number of levels.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("one level is the least".to_owned()),
        Ok(levels) => Ok(levels),
        Err(error) => Err(error.to_string()),
    }
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    discovery: Discovery,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

impl Discover {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        let how = if self.recursive {
            let most = self.limit.or(resources::Discover::RECURSIVE.most);
            resources::Discover { reach: Reach::Recursive { depth: self.depth }, most }
        } else {
            resources::Discover { most: self.limit, ..resources::Discover::ONE_LEVEL }
        };
        let preview = context.look()?;
        let resource = find(&preview, &self.resource)?;
        let cancel = cancel_on_interrupt();
        let watched = !context.json && std::io::stderr().is_terminal();
        let progress = progress(watched);
        let watch = Watch { cancel: &cancel, progress: &progress };
        let discovery = if self.dry.dry_run {
            preview.plan_discovery(&resource.id, &how, &watch)
        } else {
            drop(preview);
            context.write()?.discover(&resource.id, &how, &watch)
        };
        if watched {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        let told = Told { discovery: discovery?, dry_run: self.dry.dry_run };
        Ok(Answer::new(told, move |told, to| text(&resource, told, to)))
    }
}

/// Set when the person interrupts; the discovery then ends between two transactions.
fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    // a second interrupt ends the program at once
    let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, 130, Arc::clone(&cancel));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&cancel));
    cancel
}

/// Shows progress where a person watches.
fn progress(watched: bool) -> impl Fn(Progress) {
    move |progress: Progress| {
        if watched {
            let (found, done) = (thousands(progress.found), thousands(progress.done));
            let _ = write!(std::io::stderr(), "\r\x1b[K{found} found, {done} written");
        }
    }
}

fn text(resource: &Resource, told: &Told, to: &mut Printer<'_>) -> std::io::Result<()> {
    let Told { discovery, dry_run } = told;
    let verb = if *dry_run { "would create" } else { "created" };
    let linked = if *dry_run { "would link" } else { "linked" };
    to.line(format!(
        "{}: {verb} {}, {linked} {}, {} stale",
        resource.label(),
        thousands(discovery.created.len()),
        thousands(discovery.linked.len()),
        thousands(discovery.stale.len())
    ))?;
    section("+", Tone::Good, &discovery.created, to)?;
    section("→", Tone::Good, &discovery.linked, to)?;
    section(Mark::NotFound.glyph(), Tone::Warn, &discovery.stale, to)?;
    if !discovery.stale.is_empty() {
        let name = resource.label();
        let remove = command("dagwood resource rm --stale", [name.as_str()]);
        to.line(format!("  stale ones are kept; `{remove}` removes them, and leaves what hangs below them"))?;
    }
    for skip in discovery.skipped.iter().take(SHOWN) {
        let rule = skip.rule.as_deref().unwrap_or("all rules");
        let mut line = format!("  skipped {}: {}", skip.location.as_deref().unwrap_or(rule), skip.reason);
        if let Some(more) = skip.more {
            line = format!("  {}: {} more", skip.reason, thousands(more));
        }
        to.toned(Tone::Dim, line)?;
        to.line("")?;
    }
    more(discovery.skipped.len(), to)
}

fn section(mark: &str, tone: Tone, resources: &[Resource], to: &mut Printer<'_>) -> std::io::Result<()> {
    for resource in resources.iter().take(SHOWN) {
        to.toned(tone, format!("  {mark} "))?;
        let place = resource.name.as_deref().or(resource.location.as_deref());
        to.part(place.map_or_else(|| resource.label(), str::to_owned))?;
        to.toned(Tone::Dim, format!("  {}", resource.type_name))?;
        to.line("")?;
    }
    more(resources.len(), to)
}

fn more(all: usize, to: &mut Printer<'_>) -> std::io::Result<()> {
    if all > SHOWN { to.line(format!("    ... {} more", thousands(all - SHOWN))) } else { Ok(()) }
}
