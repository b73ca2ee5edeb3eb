//! What every error of dagwood tells about itself, so that one place turns errors into text, one into JSON and one
//! into exit statuses.
//!
//! Each part has an error type of its own (`thiserror`), whose variants name what was being done and to what. They
//! implement [`Coded`]; nothing else is needed for an error to reach a person or a script in the right form.

use serde::Serialize;
use serde_json::{Map, Value};

/// The kind of an error, as scripts see it under `error.code`.
///
/// ```
/// use dagwood::error::{Code, Exit};
/// assert_eq!(Code::CycleDetected.name(), "cycle_detected");
/// assert_eq!(Code::CycleDetected.exit(), Exit::Refused);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documentation: each is the code itself")]
pub enum Code {
    InvalidInput,
    NotFound,
    NotAProject,
    ResourceNotFound,
    TypeNotFound,
    DuplicateType,
    TypeInUse,
    TypeIncompatible,
    CycleDetected,
    DuplicateLink,
    LinkNotFound,
    DuplicateName,
    ResourceInUse,
    AlreadyExists,
    ChangedSince,
    OutsideLayer,
    SymbolicLink,
    IllegalOverride,
    NothingToUndo,
    Cancelled,
    Busy,
    ReadOnly,
    NotADatabase,
    Corrupt,
    NewerVersion,
    Io,
}

/// The exit statuses of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, or a question answered.
    Done = 0,
    /// 1: refused by a rule, not found, or a finding of severity error.
    Refused = 1,
    /// 2: usage, or input that is not of the form asked for.
    Usage = 2,
    /// 3: the disk or the database failed.
    Failed = 3,
}

impl Code {
    /// The code as it stands in JSON.
    pub fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::String(name)) => name,
            _ => String::new(),
        }
    }

    /// The exit status of a command that ends with this error.
    pub fn exit(self) -> Exit {
        match self {
            Code::InvalidInput => Exit::Usage,
            Code::Busy | Code::ReadOnly | Code::NotADatabase | Code::Corrupt | Code::NewerVersion | Code::Io => {
                Exit::Failed
            }
            _ => Exit::Refused,
        }
    }
}

/// An error that knows its code and the further fields of its JSON form; its text is its `Display`.
///
/// Texts name what, where (`file:line`, name) and what to do, in plain words. They may hold names from files; whoever
/// prints them escapes them ([`crate::text::visible`]).
pub trait Coded: std::error::Error + Send + Sync {
    /// The kind of the error.
    fn code(&self) -> Code;

    /// The fields beside `code` and `message` in the error document.
    fn fields(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The same fields as the text of one JSON object, for those that may be too long to be held as values.
    fn fields_text(&self) -> String {
        Value::Object(self.fields()).to_string()
    }
}

/// Any error of the library, on its way to a person or a script.
pub type Failure = Box<dyn Coded>;

impl<E: Coded + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Box::new(error)
    }
}

/// The error document of an error: `{"error": {"code", "message", ...}}`, as text.
pub fn document(error: &dyn Coded) -> String {
    let (code, message) = (Value::String(error.code().name()), Value::String(error.to_string()));
    let fields = error.fields_text();
    let inside = fields.strip_prefix('{').and_then(|fields| fields.strip_suffix('}')).unwrap_or_default();
    let comma = if inside.is_empty() { "" } else { "," };
    format!(r#"{{"error":{{"code":{code},"message":{message}{comma}{inside}}}}}"#)
}

/// A request that is not of the form asked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(pub String);

impl Coded for InvalidInput {
    fn code(&self) -> Code {
        Code::InvalidInput
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_holds_code_message_and_fields() {
        let said = document(&InvalidInput("the \"path\" is empty".into()));
        assert_eq!(said, r#"{"error":{"code":"invalid_input","message":"the \"path\" is empty"}}"#);
    }

    #[test]
    fn disk_and_database_are_told_from_refusals() {
        assert_eq!(Code::Busy.exit(), Exit::Failed);
        assert_eq!(Code::TypeInUse.exit(), Exit::Refused);
        assert_eq!(Code::InvalidInput.exit(), Exit::Usage);
    }
}
