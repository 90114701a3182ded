//! Joins of tables of facts that the user gives (`--facts`): their columns that records of logs have too are the left keys,
//! their other columns are what records with the same values receive; only rows of the table are evidence.

use widetui_ingest::fact_tables::{FACTS, JoiningTable, joining_tables};
use widetui_join::{Join, JoinRule, KeyRule, Receivers};
use widetui_query::{Expr, Field, Op};
use widetui_store::Snapshot;

/// Joins of the tables of facts of a snapshot, in the order of the sources.
pub(crate) fn joins(snapshot: &Snapshot) -> Vec<Join> {
    joining_tables(snapshot).into_iter().map(join).collect()
}

fn join(table: JoiningTable) -> Join {
    let rule = KeyRule {
        left_keys: table.by,
        right_keys: table.gives,
        evidence: Some(Expr::compare(Field::Source, Op::Eq, table.path.as_str())),
        ..KeyRule::default()
    };
    Join {
        name: table.name,
        system: Some(FACTS.to_owned()),
        receivers: Receivers::All,
        rule: JoinRule::Keys(rule),
    }
}
