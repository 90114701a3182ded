//! Joins that follow from identity: spaces in which several systems name the same instance, scopes of keys, and the
//! processes that instances run as.
//!
//! ```text
//! parsl.job 440100 ──member──> batch.job 440100 <──issuer── slurm.job 440100     one instance, no join in a definition
//! kernel.pid 23253 ──member──> pid 23253 on nid00317 ──process──> worker 3        records about the process of a worker
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::words::bracketed;
use widetui_definition::join_names::{
    member_join, process_join_names, sole_scope_join, space_joins,
};
use widetui_definition::semantics::{EntityDef, EntityRole, PairDef, ProcessDef, SpaceDef};
use widetui_definition::syntax::{Definition, JOIN_SEPARATOR};
use widetui_format::pattern::Pattern;
use widetui_query::Expr;

use crate::spec::extraction::Space;
use crate::spec::{
    Composition, ExtractionRule, GivenScope, InvalidText, Join, JoinRule, KeyRule, Receivers,
    condition, derived_condition, key_names,
};

/// Key of the ids of processes on a host.
pub(crate) const PROCESS_ID: &str = "pid";

/// Key of hosts.
const HOST: &str = "host";

/// Names that logs write for a host whose name they do not know, or for their own.
const NO_HOSTS: &str = "(unknown, localhost, none, None, \"(null)\", \"127.0.0.1\", \"::1\")";

/// Processes that a process id names, each for the time of its life.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessRule {
    /// Keys that hold process ids: that of the writer first.
    pub(crate) id_keys: Vec<String>,
    /// Kinds of sources that these processes write; empty for all of the system.
    pub(crate) source_kinds: Vec<String>,
    /// Condition of the records that these processes write; `None` for all.
    pub(crate) condition: Option<Expr>,
    /// Condition of their records that end an instance, which the process may outlive.
    pub(crate) end: Option<Expr>,
    /// Keys of hosts. With several hosts in the run, a record of another system that states none may be about a process of
    /// any of them.
    pub(crate) host_keys: Vec<String>,
}

/// Numbers that the instances of a key have in another system, by their order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderRule {
    /// Keys within whose values the numbers begin at 1.
    pub(crate) scope_keys: Vec<String>,
    /// Key whose instances are counted.
    pub(crate) counted_key: String,
    /// Key of the numbers.
    pub(crate) number_key: String,
    /// Records that are counted: of the first alternative that a scope has.
    pub(crate) counted: Vec<CountedRule>,
}

/// Conditions of the records that are counted, and of those that prove that none is missing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountedRule {
    /// Condition of the records.
    pub(crate) condition: Expr,
    /// Condition of the records that end an instance, if records do.
    pub(crate) end: Option<Expr>,
    /// Condition of the record that begins a scope, if one does.
    pub(crate) begin: Option<Expr>,
}

/// Joins that follow from the spaces of keys and entities and from the processes of entities, over all definitions of a
/// run, with the invalid conditions.
pub fn identity_joins<'d>(
    definitions: impl Iterator<Item = &'d Definition> + Clone,
) -> (Vec<Join>, Vec<InvalidText>) {
    let scopes = Scopes::new(definitions.clone());
    let (mut joins, mut bad) = (Vec::new(), Vec::new());
    let mut spaces: BTreeMap<&str, Space> = BTreeMap::new();
    let mut id_keys = vec![PROCESS_ID.to_owned()];
    let mut host_keys = vec![HOST.to_owned()];
    let mut unsure_host_keys = Vec::new();
    let (mut processes, mut rules) = (Vec::new(), Vec::new());
    for def in definitions.clone() {
        let system = def.name.get_ref();
        let mut add = |space: &'d str, name: String, rule: ExtractionRule| {
            rules.push((space, system, name, rule));
        };
        for (key, key_def) in def.keys.iter().filter(|(_, key)| key.is_member()) {
            let Some(space) = &key_def.space else {
                continue;
            };
            match space.as_str() {
                PROCESS_ID => id_keys.push(key.clone()),
                HOST => {
                    host_keys.push(key.clone());
                    unsure_host_keys.extend(key_def.if_known.then(|| key.clone()));
                }
                _ => {}
            }
            spaces
                .entry(space)
                .or_default()
                .member_keys
                .push(key.clone());
            let only =
                (space == HOST).then(|| derived_condition(&format!("not {key} in {NO_HOSTS}")));
            if let Some(mut rule) = renaming(key, space, only, Vec::new()) {
                rule.is_if_known = key_def.if_known;
                add(space, member_join(std::slice::from_ref(key), space), rule);
            }
        }
        for entity in &def.entity {
            if let Some(space_def) = &entity.space {
                let space = spaces.entry(space_def.key.get_ref()).or_default();
                for (keys, rule) in issuer_rules(entity, space_def) {
                    add(
                        space_def.key.get_ref(),
                        member_join(&keys, space_def.key.get_ref()),
                        rule,
                    );
                    let is_new = |key: &String| !space.issuer_keys.contains(key);
                    let keys: Vec<String> = keys.into_iter().filter(is_new).collect();
                    space.issuer_keys.extend(keys);
                }
            }
            processes.extend(
                entity
                    .process
                    .iter()
                    .map(|process| (system, entity, process)),
            );
            joins.extend(sole_scope(system, entity));
        }
    }
    for (key, system, name, mut rule) in rules {
        // A scope is of use where its space is.
        let is_scope = |(_, scope): &(&&str, &Vec<String>)| scope.iter().any(|scope| scope == key);
        let key = scopes
            .joined
            .iter()
            .find(is_scope)
            .map_or(key, |(scoped, _)| *scoped);
        let space = spaces.get(key).cloned().unwrap_or_default();
        rule.space = Some(Arc::new(Space {
            key: key.to_owned(),
            ..space
        }));
        joins.push(Join::of_system(system, name, JoinRule::Extraction(rule)));
    }
    let system_of = |key: &'d str| {
        let declaring = definitions.clone().find(|def| def.keys.contains_key(key));
        declaring.map_or(key, |def| def.name.get_ref())
    };
    // An instance has one scope, and one id in its own system.
    let by = |key: &'d str, name: String, right_keys: Vec<String>, is_scope: bool| {
        let rule = KeyRule {
            left_keys: vec![key.to_owned()],
            right_keys,
            is_scope,
            is_space: !is_scope,
            is_open: true,
            ..KeyRule::default()
        };
        Join::of_system(system_of(key), name, JoinRule::Keys(rule))
    };
    for (key, space) in spaces
        .into_iter()
        .filter(|(_, space)| !space.issuer_keys.is_empty())
    {
        joins.push(by(
            key,
            space_joins(key)[1].clone(),
            space.issuer_keys,
            false,
        ));
    }
    for (key, scope) in scopes.joined {
        let stand_ins = scope.iter().filter(|key| scopes.runs.contains(key)).count();
        let mut join = by(key, space_joins(key)[0].clone(), scope, true);
        if let JoinRule::Keys(rule) = &mut join.rule {
            rule.scope_stand_ins = stand_ins;
        }
        joins.push(join);
    }
    for (system, entity, process) in processes {
        let hosts = (&host_keys[..], &unsure_host_keys[..]);
        match process_joins(system, entity, process, &id_keys, hosts) {
            Ok(own) => joins.extend(own),
            Err(error) => bad.push(error),
        }
    }
    (joins, bad)
}

/// Keys within whose values the values of a key are unique, by key.
struct Scopes<'d> {
    /// Scopes of spaces, and of keys that identify the instances of an entity alone: a join gives a value its scope, as records
    /// of other systems state the value alone.
    joined: BTreeMap<&'d str, Vec<String>>,
    /// Scopes of other keys, which all records state.
    stated: BTreeMap<&'d str, Vec<String>>,
    /// Keys of spaces of entities.
    spaces: Vec<&'d str>,
    /// Keys of the runs of systems, which stand in for a scope that no record names.
    runs: Vec<String>,
    /// Ids of entities whose instances run as processes.
    processes: Vec<Vec<String>>,
}

impl<'d> Scopes<'d> {
    fn new(definitions: impl Iterator<Item = &'d Definition> + Clone) -> Scopes<'d> {
        let keys = definitions.clone().flat_map(|def| &def.keys);
        let declared = keys.filter(|(_, key)| !key.scope.all().is_empty());
        let mut stated: BTreeMap<&str, Vec<String>> = declared
            .map(|(name, key)| (name.as_str(), key.scope.all().to_vec()))
            .collect();
        let mut joined: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let (mut spaces, mut processes) = (Vec::new(), Vec::new());
        let runs = { definitions.clone() }.filter_map(|def| def.runs.as_ref());
        let runs = runs.map(|runs| runs.key.get_ref().clone()).collect();
        for (def, entity) in
            definitions.flat_map(|def| def.entity.iter().map(move |entity| (def, entity)))
        {
            let space = entity
                .space
                .as_ref()
                .map(|space| space.key.get_ref().as_str());
            let issuers = { entity.id.iter() }.filter_map(|id| id.first());
            for key in issuers.map(|key| key.get_ref().as_str()).chain(space) {
                if let Some(scope) = stated.remove(key) {
                    joined.insert(key, scope);
                }
            }
            if entity.process.is_some() {
                processes.extend(entity.id.iter().map(|id| key_names(id)));
            }
            if let Some(space) = space {
                spaces.push(space);
                // A system that does not name its runs has one for each of its servers.
                let run = def.runs.iter().map(|runs| runs.key.get_ref().clone());
                joined.entry(space).or_default().extend(run);
            }
        }
        Scopes {
            joined,
            stated,
            spaces,
            runs,
            processes,
        }
    }
}

/// Adds to joins of keys the scopes of their left keys; joins that already are by one of the scopes stay.
pub fn add_scopes<'d>(
    joins: &mut [Join],
    definitions: impl Iterator<Item = &'d Definition> + Clone,
) {
    let scopes = Scopes::new(definitions);
    for join in joins {
        let JoinRule::Keys(rule) = &mut join.rule else {
            continue;
        };
        let joined = |key: &&String| scopes.joined.contains_key(key.as_str());
        rule.scoped_key = rule
            .left_keys
            .iter()
            .find(joined)
            .filter(|_| !rule.is_scope)
            .cloned();
        // With an instance its scope is given.
        if !rule.is_scope {
            for instance in rule.right_keys.clone() {
                let scope = scopes.joined.get(instance.as_str()).into_iter().flatten();
                for scope in scope.filter(|scope| !rule.left_keys.contains(scope)) {
                    if !rule.right_keys.contains(scope) {
                        rule.right_keys.push(scope.clone());
                    }
                    rule.given_scopes.push(GivenScope {
                        scope: scope.clone(),
                        instance: instance.clone(),
                    });
                }
            }
        }
        if let (Some(_), Some((last, id))) = (&rule.lifetime, rule.left_keys.split_last()) {
            rule.is_of_process = last == PROCESS_ID && scopes.processes.iter().any(|own| own == id);
        }
        // An instance of a space may carry several instances of another system.
        rule.is_open |=
            matches!(&rule.left_keys[..], [key] if scopes.spaces.contains(&key.as_str()));
        let scope = rule
            .left_keys
            .iter()
            .filter_map(|key| scopes.stated.get(key.as_str()));
        let scope: Vec<String> = scope.flat_map(|keys| keys.iter().cloned()).collect();
        let is_missing = |key: &String| {
            !(rule.left_keys.contains(key)
                || rule.scope_keys.contains(key)
                || rule.right_keys.contains(key))
        };
        let missing: Vec<String> = scope.into_iter().filter(is_missing).collect();
        rule.scope_keys.extend(missing);
    }
}

impl Join {
    fn of_system(system: &str, name: String, rule: JoinRule) -> Join {
        Join {
            name: format!("{system}{JOIN_SEPARATOR}{name}"),
            system: Some(system.to_owned()),
            receivers: Receivers::NotExported,
            rule,
        }
    }
}

/// Rule that gives a value of `key` to `space`, too.
fn renaming(
    key: &str,
    space: &str,
    condition: Option<Expr>,
    constants: Vec<(String, String)>,
) -> Option<ExtractionRule> {
    let pattern = Pattern::compile(&format!("{{{space}:text}}")).ok()?;
    ExtractionRule::new(Some(key.to_owned()), condition, vec![pattern], constants).ok()
}

/// Rules that give the ids of an entity's instances to its space, one for each alternative of its id, with the keys of
/// that alternative. The alternative with the most keys that a record states is used.
fn issuer_rules(entity: &EntityDef, space: &SpaceDef) -> Vec<(Vec<String>, ExtractionRule)> {
    let ids: Vec<Vec<String>> = entity.id.iter().map(|id| key_names(id)).collect();
    let separators = entity.joined.all();
    let key = space.key.get_ref();
    let rules = ids.iter().enumerate().filter_map(|(at, keys)| {
        let constants = space.keys.clone().into_iter().collect();
        let longer = ids.iter().filter(|other| other.len() > keys.len());
        let condition = longer
            .map(|other| format!("not (has {})", other.join(" and has ")))
            .collect::<Vec<_>>()
            .join(" and ");
        let condition = (!condition.is_empty()).then(|| derived_condition(&condition));
        let rule = match keys.as_slice() {
            [only] => renaming(only, key, condition, constants)?,
            keys => {
                let separator = separators.get(at).or(separators.first())?;
                let template: Vec<String> = keys.iter().map(|key| format!("{{{key}}}")).collect();
                let template = Composition::compile(&bracketed(&template, separator)).ok()?;
                ExtractionRule::composed(key.clone(), template, condition, constants).ok()?
            }
        };
        Some((keys.clone(), rule))
    });
    rules.collect()
}

/// Join that gives the scope of an entity's instances to records that state an id without it, as logs of other programs
/// do; for runs in which each key of the scope has one value.
fn sole_scope(system: &str, entity: &EntityDef) -> Option<Join> {
    let [_, .., last] = entity.id.as_slice() else {
        return None;
    };
    let left_keys = key_names(last);
    // Alternatives that are no scope before the same keys are other names.
    if !entity
        .id
        .iter()
        .all(|id| key_names(id).ends_with(&left_keys))
    {
        return None;
    }
    let mut sole_keys: Vec<String> = entity.id.iter().flat_map(|id| key_names(id)).collect();
    sole_keys.retain(|key| !left_keys.contains(key));
    sole_keys.sort_unstable();
    sole_keys.dedup();
    let is_concerned = matches!(entity.role, EntityRole::WorkItem | EntityRole::Resource);
    let name = sole_scope_join(entity.name.get_ref());
    let rule = KeyRule {
        left_keys,
        right_keys: sole_keys.clone(),
        sole_keys,
        ..KeyRule::default()
    };
    let is_of_use = is_concerned && !rule.sole_keys.is_empty();
    is_of_use.then(|| Join::of_system(system, name, JoinRule::Keys(rule)))
}

/// Rules of the two joins of a pairing by order: from an instance to its number, and back.
///
/// # Errors
/// An invalid condition.
pub(crate) fn order_rules(def: &PairDef) -> Result<[JoinRule; 2], InvalidText> {
    let (counted_key, number_key) = (def.key.get_ref().clone(), def.number.get_ref().clone());
    let counted = def.counted.iter().map(|counted| {
        Ok(CountedRule {
            condition: condition(&counted.only)?,
            end: counted.end.as_ref().map(condition).transpose()?,
            begin: counted.begin.as_ref().map(condition).transpose()?,
        })
    });
    let order = OrderRule {
        scope_keys: key_names(&def.within),
        counted_key: counted_key.clone(),
        number_key: number_key.clone(),
        counted: counted.collect::<Result<_, _>>()?,
    };
    let by = |left_keys: Vec<String>, right_key: String| {
        JoinRule::Keys(KeyRule {
            left_keys,
            right_keys: vec![right_key],
            order: Some(Box::new(order.clone())),
            ..KeyRule::default()
        })
    };
    let numbered = order.scope_keys.iter().cloned().chain([number_key.clone()]);
    Ok([
        by(vec![counted_key.clone()], number_key),
        by(numbered.collect(), counted_key),
    ])
}

/// Condition of the records with a final state of an entity; `None` without states.
fn ends_of(entity: &EntityDef) -> Option<Expr> {
    let key = entity.state.as_ref()?.get_ref();
    let states = entity.last.iter().map(|state| format!("{state:?}"));
    let states: Vec<String> = states.collect();
    let text = format!("{key} in ({})", states.join(", "));
    Some(derived_condition(&text))
}

/// Joins of the processes of an entity's instances: the host of a process, and the instance of a process on its host, or
/// without a host where records state none.
fn process_joins(
    system: &str,
    entity: &EntityDef,
    process: &ProcessDef,
    id_keys: &[String],
    (host_keys, unsure_host_keys): (&[String], &[String]),
) -> Result<Vec<Join>, InvalidText> {
    let rule = ProcessRule {
        id_keys: id_keys.to_vec(),
        source_kinds: process.kinds.clone(),
        condition: process.only.as_ref().map(condition).transpose()?,
        end: ends_of(entity),
        host_keys: host_keys.to_vec(),
    };
    let mut seen = FxHashSet::default();
    let mut ids: Vec<String> = entity.id.iter().flat_map(|id| key_names(id)).collect();
    ids.retain(|key| seen.insert(key.clone()));
    let name = entity.name.get_ref();
    let by = |name: String, left: &[&str], right_keys: Vec<String>, condition: Option<Expr>| {
        let rule = KeyRule {
            left_keys: left.iter().map(|key| (*key).to_owned()).collect(),
            right_keys,
            condition,
            processes: Some(Box::new(rule.clone())),
            ..KeyRule::default()
        };
        Join::of_system(system, name, JoinRule::Keys(rule))
    };
    // A host that the run does not know is not one of its hosts.
    let known_host = unsure_host_keys.iter();
    let known_host = known_host.map(|key| format!("not (has {key} and not {key} in {NO_HOSTS})"));
    let known_host: Vec<String> = known_host.collect();
    let without_host = [&["not has host".to_owned()], &known_host[..]].concat();
    let all = |conditions: &[String]| {
        (!conditions.is_empty()).then(|| derived_condition(&conditions.join(" and ")))
    };
    let host = vec![HOST.to_owned()];
    let [of_host, on_host, alone] = process_join_names(name);
    Ok(vec![
        by(of_host, &[PROCESS_ID], host, all(&known_host)),
        by(on_host, &[HOST, PROCESS_ID], ids.clone(), None),
        by(alone, &[PROCESS_ID], ids, all(&without_host)),
    ])
}
