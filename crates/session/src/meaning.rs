//! Compiled definitions: joins, entities, series, flows, hints and rules.

use std::sync::{Arc, OnceLock};

use widetui_analysis::check::{self, CheckRule};
use widetui_analysis::entity::names::Names;
use widetui_analysis::entity::{self, Entity};
use widetui_analysis::flow::{self, FlowSpec};
use widetui_analysis::series::{self, SeriesSpec};
use widetui_core::cancel::Cancel;
use widetui_core::ids::KeyId;
use widetui_definition::error::DefError;
use widetui_definition::words::WordsDef;
use widetui_diagnosis::hint::{self, Hint};
use widetui_diagnosis::misjudged;
use widetui_format::definitions::systems::{System, Systems};
use widetui_join::naming::{IdentityKey, naming_joins};
use widetui_join::spec::{self, InvalidText, Receivers};
use widetui_join::{Join, JoinRule, Report, apply_joins};
use widetui_query::{Expr, resolve_key};
use widetui_store::{Snapshot, Source};

use super::fact_joins;
use super::instances::InstanceCache;
use super::key_roles::Roles;

/// Joins, entities, hints and rules of all definitions, compiled once for a run.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Joins of all systems, followed by those of fact tables.
    pub joins: Vec<Join>,
    /// Entities of all systems.
    pub entities: Vec<Arc<Entity>>,
    /// Series of all systems, compiled on first use.
    series: OnceLock<Arc<[SeriesSpec]>>,
    /// Message flows of all systems, compiled on first use.
    flows: OnceLock<Arc<[FlowSpec]>>,
    /// Instances of the entities, found on first use.
    pub instance_cache: InstanceCache,
    /// Hints of all systems, compiled on first use.
    hints: OnceLock<Arc<[Hint]>>,
    /// Keys that hold ids of another key in a role.
    pub roles: Roles,
    /// The definitions.
    systems: Systems,
    /// Number of joins from definitions.
    of_definitions: usize,
    /// Joins by names in the logs of other programs, and the number of records in which they were found.
    named: (Vec<Join>, usize),
    /// Rules of all systems, compiled on first use.
    rules: OnceLock<Arc<[CheckRule]>>,
}

impl Meaning {
    /// Compiles the built-in definitions and those of the user (file name, text). Faulty parts of a definition are left
    /// out (see [`Meaning::problems`]).
    pub fn new(user: &[(String, String)]) -> Meaning {
        let mut systems = Systems::builtin();
        for (file, text) in user {
            // A definition that cannot be read stops the load, which reports it.
            let _ = systems.add(file, text);
        }
        Meaning::from_systems(&systems)
    }

    /// Compiles definitions.
    pub fn from_systems(systems: &Systems) -> Meaning {
        let mut meaning = Meaning {
            systems: systems.clone(),
            roles: Roles::from_systems(systems),
            ..Meaning::default()
        };
        for system in systems.iter() {
            let receivers = match system.builtin {
                true => Receivers::NotExported,
                false => Receivers::All,
            };
            let joins = spec::from_definition(&system.def).0.into_iter();
            let joins = joins.map(|join| Join { receivers, ..join });
            meaning.joins.extend(joins);
            let (entities, _) = entity::from_definition(&system.def);
            meaning.entities.extend(entities.into_iter().map(Arc::new));
        }
        let definitions = systems.iter().map(|system| &system.def);
        meaning
            .joins
            .extend(spec::identity_joins(definitions.clone()).0);
        spec::add_scopes(&mut meaning.joins, definitions);
        meaning.of_definitions = meaning.joins.len();
        meaning.instance_cache = InstanceCache::new(meaning.entities.clone());
        meaning
    }

    /// Names of keys and entities in a run.
    pub fn names<'r>(&'r self, snapshot: &'r Snapshot) -> Names<'r> {
        Names::new(&self.entities, &snapshot.catalog.keys)
    }

    /// Series of all systems.
    pub fn series(&self) -> &[SeriesSpec] {
        let all = self.systems.iter();
        let all = all.flat_map(|system| series::from_definition(&system.def));
        self.series.get_or_init(|| all.collect())
    }

    /// Message flows of all systems.
    pub fn flows(&self) -> &[FlowSpec] {
        let all = self.systems.iter();
        let all = all.flat_map(|system| flow::from_definition(&system.def).0);
        self.flows.get_or_init(|| all.collect())
    }

    /// Rules of all systems.
    pub fn rules(&self) -> &[CheckRule] {
        let all = self.systems.iter();
        let all = all.flat_map(|system| check::from_definition(&system.def).0);
        self.rules.get_or_init(|| all.collect())
    }

    /// Returns a copy with the joins that are in the data of a run: those of its fact tables, and those by names in the logs of
    /// other programs; `None` if it has exactly these already. Names are looked for again when the run has doubled.
    pub fn with_data_joins(&self, snapshot: &Snapshot) -> Option<Meaning> {
        let named = match snapshot.len() >= 2 * self.named.1 {
            true => (self.named_instances(snapshot), snapshot.len().max(1)),
            false => self.named.clone(),
        };
        let mut joins = fact_joins::joins(snapshot);
        joins.extend(named.0.iter().cloned());
        (self.joins[self.of_definitions..] != joins[..] || self.named.1 != named.1).then(|| {
            let mut meaning = self.clone();
            meaning.joins.truncate(self.of_definitions);
            meaning.joins.extend(joins);
            meaning.named = named;
            meaning
        })
    }

    /// Joins by names of instances in the records of programs without instances of their own.
    fn named_instances(&self, snapshot: &Snapshot) -> Vec<Join> {
        let mut identities: Vec<IdentityKey> = Vec::new();
        for entity in &self.entities {
            for key in entity.id.iter().filter_map(|keys| keys.last()) {
                let identity = IdentityKey {
                    key: key.clone(),
                    title: entity.title.clone(),
                };
                if key.contains('.') && !identities.contains(&identity) {
                    identities.push(identity);
                }
            }
        }
        // What one instance alone has names it, too, such as a file that it writes.
        for join in &self.joins[..self.of_definitions] {
            let is_own = |given: &String| identities.iter().any(|known| known.key == *given);
            if let JoinRule::Keys(rule) = &join.rule
                && let [key] = &rule.left_keys[..]
                && rule.right_keys.iter().any(is_own)
                && key.contains('.')
                && !is_own(key)
            {
                identities.push(IdentityKey {
                    key: key.clone(),
                    title: String::new(),
                });
            }
        }
        let has_instances = |name: &String| {
            let mut systems = self.systems.iter();
            let own = systems.find(|system| system.def.name.get_ref() == name);
            own.is_some_and(|system| !system.def.entity.is_empty())
        };
        let is_foreign = |source: &Arc<Source>| !source.system.as_ref().is_some_and(has_instances);
        let is_foreign: Vec<bool> = snapshot.sources.iter().map(is_foreign).collect();
        naming_joins(snapshot, &identities, &is_foreign, &Cancel::default()).unwrap_or_default()
    }

    /// Hints of all systems. They contain most of the conditions, and few questions need them, so they are compiled on
    /// first use.
    pub fn hints(&self) -> &[Hint] {
        self.hints.get_or_init(|| {
            // Hints of systems with entities precede those that apply to any program, as they are more specific.
            let (general, own): (Vec<_>, Vec<_>) =
                self.systems.iter().partition(|s| s.def.entity.is_empty());
            let systems = own.into_iter().chain(general);
            systems
                .flat_map(|system| hint::of_definition(&system.def).0)
                .collect()
        })
    }

    /// Expressions for errors that are known to be harmless.
    pub fn harmless(&self) -> Vec<Expr> {
        let hints = self.hints().iter();
        let harmless = hints.filter(|h| h.severity == widetui_diagnosis::Severity::Info);
        harmless.map(|h| h.only.clone()).collect()
    }
}

/// Returns the mistakes in the conditions and extraction rules of a definition, with their positions.
pub fn problems(system: &System, words: &WordsDef) -> Vec<DefError> {
    let (_, mut bad) = spec::from_definition(&system.def);
    bad.extend(spec::identity_joins(std::iter::once(&system.def)).1);
    bad.extend(entity::from_definition(&system.def).1);
    bad.extend(flow::from_definition(&system.def).1);
    bad.extend(hint::of_definition(&system.def).1);
    bad.extend(check::from_definition(&system.def).1);
    bad.extend(misjudged(words, &system.def));
    bad.into_iter().map(|b| place(system, &b)).collect()
}

fn place(system: &System, bad: &InvalidText) -> DefError {
    system
        .origin()
        .error_in_string(bad.text.span(), bad.offset, bad.problem.clone())
}

/// Which joined values will be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedKeys {
    /// Any of them.
    All,
    /// Those of these keys, in any spelling.
    Keys(Vec<String>),
}

/// Returns the joins needed for the wanted keys: none if no join produces any of them, else all, as joins depend on
/// each other.
pub fn needed_joins<'j>(snapshot: &Snapshot, joins: &'j [Join], wanted: &WantedKeys) -> &'j [Join] {
    let WantedKeys::Keys(names) = wanted else {
        return joins;
    };
    let keys = &snapshot.catalog.keys;
    let wanted: Vec<KeyId> = names.iter().filter_map(|n| resolve_key(keys, n)).collect();
    // An extraction rule may produce a key that no record has.
    let is_wanted = |name: &String| match keys.find(name) {
        Some(key) => wanted.contains(&key),
        None => names.contains(name),
    };
    match joins
        .iter()
        .any(|join| join.right_keys().iter().any(is_wanted))
    {
        true => joins,
        false => &[],
    }
}

/// Applies the joins to a snapshot; also returns the report of each. `None` if cancelled.
pub fn with_joined_values(
    snapshot: &Arc<Snapshot>,
    joins: &[Join],
    cancel: &Cancel,
) -> Option<(Arc<Snapshot>, Arc<[Report]>)> {
    let mut with_joined_values = apply_joins(snapshot, joins, cancel)?;
    let derived = &mut with_joined_values.derived;
    Arc::make_mut(derived).share_with(&snapshot.derived);
    let snapshot = Arc::new(Snapshot {
        derived: with_joined_values.derived,
        catalog: with_joined_values
            .catalog
            .unwrap_or_else(|| snapshot.catalog.clone()),
        ..(**snapshot).clone()
    });
    Some((snapshot, with_joined_values.reports))
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_ingest::load::load_all;
    use widetui_ingest::options::OpenOptions;

    #[test]
    fn joins_are_needed_where_they_give_what_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run.jsonl");
        let lines = "{\"time\": 1.0, \"msg\": \"a\", \"job\": 1, \"node\": \"n1\"}\n{\"time\": 2.0, \"msg\": \"b\", \"job\": 1}\n";
        std::fs::write(&run, lines).unwrap();
        let options = OpenOptions {
            paths: vec![run],
            ..OpenOptions::default()
        };
        let go = Cancel::default();
        let (snapshot, _) = load_all(&options, &go, Default::default()).unwrap();
        let joins = [Join::keys("place", &["job"], &["node"])];
        let n = |wanted| needed_joins(&snapshot, &joins, &wanted).len();
        let keys =
            |names: &[&str]| WantedKeys::Keys(names.iter().map(|n| (*n).to_owned()).collect());
        assert_eq!(n(WantedKeys::All), 1);
        assert_eq!(n(keys(&[])), 0);
        assert_eq!(n(keys(&["job", "no such key"])), 0);
        assert_eq!(n(keys(&["job", "node"])), 1);
    }
}
