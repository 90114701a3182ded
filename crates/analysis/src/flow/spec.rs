//! Flows as definitions describe them, with their conditions read.

use widetui_definition::meaning::FlowDef;
use widetui_definition::syntax::Definition;
use widetui_join::spec::{BadText, condition};
use widetui_query::Expr;

/// Messages between actors.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Name.
    pub name: String,
    /// The definition that it comes from.
    pub system: String,
    /// Keys that identify a message.
    pub id: Vec<String>,
    /// Key that names the sender; `source`: whoever writes the record of sending.
    pub from: String,
    /// Key that names the receiver; `source`: whoever writes the record of receiving.
    pub to: String,
    /// Key that says what the message is.
    pub label: Option<String>,
    /// Sending.
    pub sent: Expr,
    /// Receiving.
    pub received: Expr,
    /// The sender has its answer.
    pub answered: Option<Expr>,
    /// What carries messages took it.
    pub posted: Option<Expr>,
    /// The sender hears that it was refused.
    pub refused: Option<Expr>,
}

/// The flows of a definition, and conditions that are none.
pub fn of_definition(def: &Definition) -> (Vec<FlowSpec>, Vec<BadText>) {
    let (mut flows, mut bad) = (Vec::new(), Vec::new());
    for flow in &def.flow {
        match of_flow(def.name.get_ref(), flow) {
            Ok(flow) => flows.push(flow),
            Err(error) => bad.push(error),
        }
    }
    (flows, bad)
}

fn of_flow(system: &str, def: &FlowDef) -> Result<FlowSpec, BadText> {
    Ok(FlowSpec {
        name: def.name.get_ref().clone(),
        system: system.to_owned(),
        id: def.id.iter().map(|k| k.get_ref().clone()).collect(),
        from: def.from.get_ref().clone(),
        to: def.to.get_ref().clone(),
        label: def.label.as_ref().map(|k| k.get_ref().clone()),
        sent: condition(&def.sent)?,
        received: condition(&def.received)?,
        answered: def.answered.as_ref().map(condition).transpose()?,
        posted: def.posted.as_ref().map(condition).transpose()?,
        refused: def.refused.as_ref().map(condition).transpose()?,
    })
}
