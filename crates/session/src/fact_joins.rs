//! Joins with fact tables (`--facts`): columns that also occur in log records are the left keys, and records with equal
//! values receive the other columns; only rows of the table are evidence.

use widetui_ingest::fact_tables::{FACTS, JoiningTable, joining_tables};
use widetui_join::{Join, JoinRule, KeyRule, Receivers};
use widetui_query::{Expr, Field, Op};
use widetui_store::Snapshot;

/// Returns the joins of a snapshot's fact tables, in the order of the sources.
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
