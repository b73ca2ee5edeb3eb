//! Answers requests.
