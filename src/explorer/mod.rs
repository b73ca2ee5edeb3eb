//! The terminal explorer.
