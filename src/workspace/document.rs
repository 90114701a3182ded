//! Documents that are trees of values: read whole, then each of their parts that holds records as a source of its own.

use std::io::Read;

use rayon::Scope;

use crate::format::table::tree::MOST;
use crate::format::table::{TableSyntax, TreeForm};

use super::load::Shared;
use super::rows::{Holder, first_of, read_lines};
use super::units::attach;

/// Reads the records of a document; what is to be told of it.
pub(super) fn read<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    holder: Holder<'_>,
    form: TreeForm,
    stream: impl Read,
) -> Vec<String> {
    attach(shared, holder.id, form.name());
    let mut bytes = Vec::new();
    let mut problems = Vec::new();
    if let Err(error) = stream.take(MOST + 1).read_to_end(&mut bytes) {
        problems.push(format!("breaks off after {} bytes: {error}", bytes.len()));
    }
    if bytes.len() as u64 > MOST {
        return vec![format!("is larger than {} MiB, not read", MOST >> 20)];
    }
    let tree = match form.read(&bytes) {
        Ok(tree) => tree,
        Err(error) => {
            problems.push(error);
            return problems;
        }
    };
    drop(bytes);
    let specs = shared.detector.documents();
    let parts: Vec<_> = specs.iter().flat_map(|spec| spec.parts(&tree)).collect();
    if !parts.is_empty() {
        let what = format!("{} (its records are listed)", form.name());
        attach(shared, holder.id, &what);
    }
    for part in parts {
        if shared.cancel.is_cancelled() {
            break;
        }
        let (id, name) = holder.table(shared, &part.name);
        let source = Holder {
            id,
            name: &name,
            ..holder
        };
        let mut lines = &part.lines[..];
        let head = first_of(shared, &mut lines);
        let rows = Some(TableSyntax::Tree(form));
        read_lines(scope, shared, source, rows, (head, &mut lines));
    }
    problems
}
