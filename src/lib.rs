//! dagwood shows three things about a repository that are invisible otherwise, explains them and lets people mend
//! them: the **resource DAG** in a SQLite registry, the **directory contracts** of a `.ai/` layer, and the
//! **selection** of a package graph.
//!
//! # The map of the house
//!
//! | room | what lives there |
//! |---|---|
//! | [`resources`] | the DAG: model, rules, registry, types, discovery, defects |
//! | [`contracts`] | the layer: documents, states, chains, findings, fixes |
//! | [`selection`] | the package graph: manifests, items on disk, selection and its reasons |
//! | [`edit`] | planned writes: preview, atomic apply, journal, undo |
//! | [`finding`] | what all three parts report |
//! | [`error`] | what every error tells: a code, a text, further fields |
//! | [`mark`] | the marks of states and their words |
//! | [`bounded`] | reading within bounds: files up to a length, folders up to a number of names |
//! | [`git`] | the git program, started so that a repository cannot make it do anything |
//! | [`text`] | names made safe to show, and near names |
//! | [`workspace`] | finds the three parts around a directory and joins them |
//! | [`demo`] | the example workspace of `dagwood demo` |
//! | [`cli`] | the command line: one file a noun |
//! | [`explorer`] | the terminal explorer: model, work, view, terminal |
//!
//! # Its laws
//!
//! * Arrows run down only: `cli, explorer -> workspace -> resources | contracts | selection -> edit, finding, mark,
//!   error, text, bounded`. The three parts never know each other.
//! * The cores (`resources::graph`, `contracts::{resolve, explain, validate, fix}`, `selection::{graph, select, reasons,
//!   what_if}`) are functions over plain data: no disk, no database, no clock, no terminal.
//! * The command line and the explorer call the same functions and hold no rules.
//! * Every write is a plan first: what will change and its effect; applying is atomic, journalled and undoable, and
//!   refused when what it was planned on has changed since.

pub mod bounded;
pub mod cli;
pub mod contracts;
pub mod demo;
pub mod edit;
pub mod error;
pub mod explorer;
pub mod finding;
pub mod git;
pub mod mark;
pub mod resources;
pub mod selection;
pub mod text;
pub mod workspace;
