//! Joins with fact tables (`--facts`): columns that also occur in log records are the left keys, and records with equal
//! values receive the other columns; only rows of the table are evidence.

use widetui_ingest::fact_tables::{FACTS, JoiningTable, SOURCE, joining_tables};
use widetui_join::spec::records_of_source;
use widetui_join::{ExtractionRule, Join, JoinRule, KeyRule, Receivers};
use widetui_query::{Expr, Field, Op};
use widetui_store::Snapshot;

/// Returns the joins of a snapshot's fact tables, in the order of the sources: constants that name the sources of a column
/// `source`, and the join by keys.
pub(crate) fn joins(snapshot: &Snapshot) -> Vec<Join> {
    let tables = joining_tables(snapshot).into_iter();
    tables.flat_map(joins_of_table).collect()
}

fn joins_of_table(table: JoiningTable) -> Vec<Join> {
    let of_facts = |name: String, rule| Join {
        name,
        system: Some(FACTS.to_owned()),
        receivers: Receivers::All,
        rule,
    };
    let named = |source: &String| {
        let value = vec![(SOURCE.to_owned(), source.clone())];
        let rule = ExtractionRule::new(None, Some(records_of_source(source)), Vec::new(), value);
        let name = format!("{}: source {source}", table.name);
        Some(of_facts(name, JoinRule::Extraction(rule.ok()?)))
    };
    let mut joins: Vec<Join> = table.sources.iter().filter_map(named).collect();
    let rule = KeyRule {
        left_keys: table.by,
        right_keys: table.gives,
        evidence: Some(Expr::compare(Field::Source, Op::Eq, table.path.as_str())),
        ..KeyRule::default()
    };
    joins.push(of_facts(table.name, JoinRule::Keys(rule)));
    joins
}
