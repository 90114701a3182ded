//! Flows as described by definitions, with parsed conditions.

use widetui_definition::semantics::FlowDef;
use widetui_definition::syntax::Definition;
use widetui_join::spec::{InvalidText, condition};
use widetui_query::Expr;

/// Flow: how records describe messages between actors.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Dotted name of the flow.
    pub name: String,
    /// Name of the system definition that contains the flow.
    pub system: String,
    /// Keys that identify a message.
    pub id_keys: Vec<String>,
    /// Key of the sender; `source` for the source of the sending record.
    pub(crate) sender_key: String,
    /// Key of the receiver; `source` for the source of the receiving record.
    pub(crate) receiver_key: String,
    /// Key of the message's label.
    pub(crate) label_key: Option<String>,
    /// Condition of the records of sending.
    pub sent: Expr,
    /// Condition of the records of receiving.
    pub received: Expr,
    /// Condition of the records by which the sender has its answer.
    pub answered: Option<Expr>,
    /// Condition of the records by which the transport accepted the message.
    pub(crate) posted: Option<Expr>,
}

/// Flows of a definition, and the errors of conditions that cannot be parsed.
pub fn from_definition(def: &Definition) -> (Vec<FlowSpec>, Vec<InvalidText>) {
    let (mut flows, mut bad) = (Vec::new(), Vec::new());
    for flow in &def.flow {
        match compile_flow(def.name.get_ref(), flow) {
            Ok(flow) => flows.push(flow),
            Err(error) => bad.push(error),
        }
    }
    (flows, bad)
}

/// Compiles a flow of a definition, or returns the first invalid condition.
fn compile_flow(system: &str, def: &FlowDef) -> Result<FlowSpec, InvalidText> {
    Ok(FlowSpec {
        name: def.name.get_ref().clone(),
        system: system.to_owned(),
        id_keys: def.id.iter().map(|k| k.get_ref().clone()).collect(),
        sender_key: def.from.get_ref().clone(),
        receiver_key: def.to.get_ref().clone(),
        label_key: def.label.as_ref().map(|k| k.get_ref().clone()),
        sent: condition(&def.sent)?,
        received: condition(&def.received)?,
        answered: def.answered.as_ref().map(condition).transpose()?,
        posted: def.posted.as_ref().map(condition).transpose()?,
    })
}
