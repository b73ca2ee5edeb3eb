//! The built program on small workspaces of its own: what it prints, in text and JSON, and with which exit status.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod config;
mod contracts;
mod faults;
mod frame;
mod here;
mod resources;
mod selection;
mod told;
