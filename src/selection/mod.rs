//! The selection of a package graph: which items a project installs, why, what is missing and why something is absent.
