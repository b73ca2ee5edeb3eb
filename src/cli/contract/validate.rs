//! `contract validate`: the findings of the layer.

use clap::Args;

use super::super::Context;
use super::super::findings::{Format, Report};
use super::super::output::Answer;
use crate::error::{Exit, Failure};
use crate::finding::Severity;

/// How to tell them.
#[derive(Debug, Args)]
pub struct Validate {
    /// The form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

impl Validate {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        context.named_layer()?;
        let layer = super::read(context);
        let report = Report { findings: layer.validate() };
        let failed = report.worst() == Some(Severity::Error);
        let nothing = layer.index.tallies().directories == 0 && report.findings.is_empty();
        let begin = nothing.then(|| super::how_to_begin(context));
        let format = self.format;
        let answer = Answer::new(report, move |report, to| match (&begin, format) {
            (Some(begin), Format::Text) => to.line(begin),
            _ => report.tell(format, to),
        });
        Ok(if failed { answer.exit(Exit::Refused) } else { answer })
    }
}
