//! Names that one side writes and the other never reads, and their nearest spellings.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::nearest::nearest;

use super::fact::{Fact, Statement};
use crate::actors::{Form, InstanceIndex, Records};
use crate::data::Data;

/// Most values of a class that are compared with each other.
const MOST: usize = 150;

/// Finds names that differ in spelling, and names that only one side has.
pub(super) fn find(records: &Records) -> Vec<Fact> {
    let mut out = Vec::new();
    let mut classes: Vec<(&u32, &Vec<InstanceIndex>)> = records.classes.iter().collect();
    classes.sort_unstable();
    for (class, all) in classes {
        let name = records.text(*class);
        if matches!(name, "log" | "pid" | "id" | "host" | "thread" | "#") || all.len() > 400 {
            continue;
        }
        let all: Vec<InstanceIndex> = all
            .iter()
            .copied()
            .filter(|i| records.instance(*i).is_whole)
            .collect();
        spellings(records, &all[..all.len().min(MOST)], &mut out);
        let is_named = name != "file"
            && Data::get().lists("nouns", name.rsplit('.').next().unwrap_or(name))
            || name == "item";
        // Definitions know both sides of their instances.
        let is_known = |i: &&InstanceIndex| records.instance(**i).known.is_some();
        let is_named = is_named && 2 * all.iter().filter(is_known).count() < all.len();
        if is_named && (2..=200).contains(&all.len()) {
            roles(records, &all, &mut out);
        }
    }
    out
}

fn sources(records: &Records, i: InstanceIndex) -> FxHashSet<u32> {
    records
        .of(i)
        .iter()
        .map(|r| records.record(*r).source)
        .collect()
}

fn templates(records: &Records, i: InstanceIndex) -> FxHashSet<u32> {
    records
        .of(i)
        .iter()
        .map(|r| records.record(*r).template)
        .collect()
}

/// Parts of letters and of digits.
fn parts(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut kind = 0;
    for c in name.chars() {
        let own = if c.is_alphabetic() {
            1
        } else {
            2 * i32::from(c.is_ascii_digit())
        };
        if own != 0 && own == kind {
            out.iter_mut().last().into_iter().for_each(|l| l.push(c));
        } else if own != 0 {
            out.push(c.to_string());
        }
        kind = own;
    }
    out
}

/// True if two names spell one: the same parts with other marks, numbers with other zeros, or one word with a slip.
fn is_slip(a: &str, b: &str) -> bool {
    let (x, y) = (parts(a), parts(b));
    // Marks at the end say how it stands: `main*` is the default partition.
    let bare = |t: &str| {
        t.trim_end_matches(['*', '+', '~', '#', '%', '$', '@', '!'])
            .to_owned()
    };
    if bare(a) == bare(b) {
        return false;
    }
    if a != b && x.concat().to_lowercase() == y.concat().to_lowercase() {
        return true;
    }
    if x.len() != y.len() {
        return false;
    }
    let odd: Vec<(&String, &String)> = x.iter().zip(&y).filter(|(p, q)| p != q).collect();
    let [(p, q)] = odd[..] else { return false };
    match (p.parse::<u64>(), q.parse::<u64>()) {
        (Ok(p), Ok(q)) => p == q,
        (Err(_), Err(_)) => {
            // Short words of one length are two: `base` and `bash`.
            let least = if p.len() == q.len() { 6 } else { 4 };
            p.len().min(q.len()) >= least
                && p.len().abs_diff(q.len()) <= 1
                && nearest(p, [q.as_str()].into_iter()).is_some()
        }
        _ => false,
    }
}

fn spellings(records: &Records, all: &[InstanceIndex], out: &mut Vec<Fact>) {
    for (n, a) in all.iter().enumerate() {
        for b in &all[n + 1..] {
            let (x, y) = (records.value(*a), records.value(*b));
            let is_long = x.len().min(y.len()) >= 4 && x.len().abs_diff(y.len()) <= 2;
            let are_states =
                Data::get().meanings(x).is_predicate() || Data::get().meanings(y).is_predicate();
            let is_long = is_long && !are_states;
            if !is_long || records.instance(*a).form == Form::Hex || !is_slip(x, y) {
                continue;
            }
            let is_apart = sources(records, *a).is_disjoint(&sources(records, *b));
            let shares = !templates(records, *a).is_disjoint(&templates(records, *b));
            if shares && (all.len() > 2 || !is_apart) {
                continue;
            }
            // The rarer spelling is the slip.
            let (slip, right) = match records.of(*a).len() <= records.of(*b).len() {
                true => (*a, *b),
                false => (*b, *a),
            };
            let statement = Statement::Unread {
                similar: Some(right),
                others: 0,
            };
            let strength = if is_apart { 0.85 } else { 0.7 };
            let shown = [slip, right]
                .into_iter()
                .filter_map(|i| records.of(i).first().copied());
            let mut fact = Fact::new(statement, strength)
                .about([slip, right])
                .shown_by(shown);
            fact.time = fact
                .records
                .first()
                .and_then(|r| records.record(*r).seconds());
            out.push(fact);
        }
    }
}

/// Values that one side has where nearly all have both sides.
fn roles(records: &Records, all: &[InstanceIndex], out: &mut Vec<Fact>) {
    let group = |r: u32| {
        let r = records.record(r);
        let group = records
            .group_of_source
            .get(r.source as usize)
            .copied()
            .unwrap_or_default();
        (group, r.template)
    };
    let mut of: FxHashMap<(u32, u32), FxHashSet<InstanceIndex>> = FxHashMap::default();
    for i in all {
        for r in records.of(*i) {
            of.entry(group(*r)).or_default().insert(*i);
        }
    }
    let mut roles: Vec<((u32, u32), FxHashSet<InstanceIndex>)> = of.into_iter().collect();
    roles.sort_by_key(|(role, _)| *role);
    roles.truncate(60);
    let mut done: FxHashSet<InstanceIndex> = FxHashSet::default();
    for (one, x) in &roles {
        for (other, y) in &roles {
            let both = x.intersection(y).count();
            if one.0 == other.0 || both == 0 {
                continue;
            }
            let is_one_sided =
                |i: &&InstanceIndex| records.of(**i).iter().all(|r| group(*r).0 == one.0);
            let mut only: Vec<InstanceIndex> =
                x.difference(y).filter(is_one_sided).copied().collect();
            only.sort_unstable();
            let few = (x.len() as f64 * 0.34).max(1.0);
            let is_number = only
                .iter()
                .all(|i| records.value(*i).bytes().all(|b| b.is_ascii_digit()));
            if only.is_empty()
                || only.len() as f64 > few
                || is_number
                || only.iter().any(|i| done.contains(i))
            {
                continue;
            }
            done.extend(only.iter().copied());
            let share = 1.0 - only.len() as f64 / x.len() as f64;
            let strength = 0.35 + 0.3 * (both as f64 / 4.0).min(1.0) * share;
            let example = y
                .iter()
                .min()
                .and_then(|i| records.of(*i).iter().find(|r| group(**r) == *other));
            let shown = only.first().and_then(|i| records.of(*i).first());
            let statement = Statement::Unread {
                similar: None,
                others: both as u32,
            };
            let mut fact = Fact::new(statement, strength)
                .about(only.iter().copied())
                .shown_by(shown.into_iter().chain(example).copied());
            fact.time = fact
                .records
                .first()
                .and_then(|r| records.record(*r).seconds());
            out.push(fact);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};

    #[test]
    fn slips_are_distinguished_from_families() {
        for (a, b) in [
            ("frames", "frame"),
            ("node-a7", "node_a7"),
            ("part-05", "part-5"),
            ("calibration", "calibraton"),
        ] {
            assert!(is_slip(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("fib-a", "fib-b"),
            ("shard-1", "shard-2"),
            ("read", "load"),
            ("north", "south"),
            ("base", "bash"),
            ("/data/train", "/data/brain"),
        ] {
            assert!(!is_slip(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_name_spelled_two_ways_is_found() {
        let records = made(
            "1 camera.log INFO publishing to topic frames
             1 stacker.log INFO subscribed to topic frame
             2 camera.log INFO 10 sent on topic frames",
        );
        let facts = find(&records);
        let slip = facts
            .iter()
            .find(|f| {
                matches!(
                    f.statement,
                    Statement::Unread {
                        similar: Some(_),
                        ..
                    }
                )
            })
            .unwrap();
        assert_eq!(name(&records, slip.subject.unwrap()), "topic frame");
    }
}
