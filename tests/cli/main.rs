//! The built program on small workspaces of its own: what it prints, in text and JSON, and with which exit status.

mod contracts;
mod here;
mod resources;
mod selection;
