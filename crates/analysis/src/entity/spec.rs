//! Entities as described by definitions, with parsed conditions.

use std::sync::Arc;

use widetui_core::words::{last_part, plural};
use widetui_definition::semantics::{EntityDef, EntityRole, ProcessDef};
use widetui_definition::syntax::Definition;
use widetui_definition::text::Text;
use widetui_join::spec::{InvalidText, condition};
use widetui_query::{Expr, TimeContext, parse};

use crate::entity::duration_key::DurationKey;

/// State transition by events that do not name the new state.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Condition of the events that cause the transition.
    pub condition: Expr,
    /// State that the transition enters.
    pub state: String,
    /// Required previous states; empty for any.
    pub(crate) previous_states: Vec<String>,
    /// Whether the same event may also end the instance.
    pub or_end: bool,
    /// Key with the delay of the transition after the event.
    pub(crate) delay_key: Option<DurationKey>,
    /// Key with the time from the transition to the event.
    pub(crate) lead_key: Option<DurationKey>,
}

/// Measurement by a single key, which may be the number of instances in a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StateCountRule {
    /// Condition of the records with the number 0.
    pub condition: Expr,
    /// Key that may name the state.
    pub state_key: String,
}

/// Logs of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKinds {
    /// Kinds of sources.
    pub kinds: Vec<String>,
    /// Names of the files for users: `interchange.log, worker_*.log`.
    pub files: String,
}

/// Entity: a kind of object of a system, such as `parsl.task`, and the conditions for its life
/// cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    /// Dotted name of the entity: `parsl.task`.
    pub name: String,
    /// Title for the user, singular: `task`.
    pub title: String,
    /// Sentence that says what an instance is; empty if its definition has none.
    pub about: String,
    /// Name of the system definition that contains the entity.
    pub system: String,
    /// Alternative ids, each a list of keys that identify an instance.
    pub id: Vec<Vec<String>>,
    /// Key by which other systems name the instances.
    pub space_key: Option<String>,
    /// Separators between the values of an id, for instances named by all of them: one for all ids,
    /// or one for each.
    pub(crate) id_separators: Vec<String>,
    /// Role of the entity for the user: work item, resource, run, other.
    pub role: EntityRole,
    /// Keys whose value is the label of an instance, such as the name of the app.
    pub label_keys: Vec<String>,
    /// Key that names the new state.
    pub state_key: Option<String>,
    /// Key that names the previous state in a state change.
    pub previous_state_key: Option<String>,
    /// State transitions by events that do not name the state.
    pub transitions: Vec<Transition>,
    /// Measurements that may be numbers of instances in a state.
    pub(crate) state_counts: Vec<StateCountRule>,
    /// States in their usual order.
    pub states: Vec<String>,
    /// States in which an instance has ended.
    pub(crate) final_states: Vec<String>,
    /// Final states that other states may follow, such as a result that is computed again.
    pub resumable_states: Vec<String>,
    /// Final states that are failures.
    pub failed_states: Vec<String>,
    /// Failed states of a single try, after which a successful retry may go unreported.
    pub inconclusive_states: Vec<String>,
    /// Final states that do not state the outcome.
    pub neutral_states: Vec<String>,
    /// Condition of the events that identify an instance; `None` for all with the keys of an id.
    pub condition: Option<Expr>,
    /// Condition of events of which each instance has one; instances without such an event were
    /// only announced.
    pub begun: Option<Expr>,
    /// Condition of the event that starts an instance; `None` for its first event.
    pub start: Option<Expr>,
    /// Condition of the event that assigns an instance to its executor.
    pub(crate) assigned: Option<Expr>,
    /// Condition of the start in runs without any event of `start` or `end`.
    pub(crate) alternative_start: Option<Expr>,
    /// Condition of the end in runs without any event of `start` or `end`.
    pub(crate) alternative_end: Option<Expr>,
    /// Condition of the event at which the owner of all instances restarted: a new run begins.
    pub(crate) restart: Option<Expr>,
    /// Condition of the event that ends an instance; `None` for its first final state.
    pub end: Option<Expr>,
    /// Condition of the event by which the owner reports a loss.
    pub(crate) lost: Option<Expr>,
    /// Condition of the event that makes an instance obsolete, whatever its outcome; without
    /// another end it counts as lost.
    pub(crate) obsolete: Option<Expr>,
    /// Condition of the event at which a lost instance returns.
    pub(crate) returned: Option<Expr>,
    /// Keys that name the instances it depends on.
    pub(crate) dependency_keys: Vec<String>,
    /// Key that names the instances that depend on it.
    pub(crate) dependent_key: Option<String>,
    /// States in which it waits for dependencies.
    pub waiting_states: Vec<String>,
    /// States in which it is executed.
    pub executing_states: Vec<String>,
    /// States after execution, before its owner has the result.
    pub executed_states: Vec<String>,
    /// States in which it has not been placed on a resource.
    pub unplaced_states: Vec<String>,
    /// Keys whose values state the cause of a failure; the last event with one counts.
    pub failure_keys: Vec<String>,
    /// Keys that state the cause of a failure if no message does: a reason, an exit code.
    pub failure_code_keys: Vec<String>,
    /// Keys that state why it is in its state, such as the reason why a job is pending.
    pub reason_keys: Vec<String>,
    /// Keys of the places where it runs, outermost first.
    pub place_keys: Vec<String>,
    /// Kinds of sources that report its states, most trusted first; empty for all.
    pub(crate) reporters: Vec<String>,
    /// Key with the duration in the event of its end.
    pub(crate) duration_key: Option<DurationKey>,
    /// Whether it is executed several times under one id.
    pub(crate) is_repeated: bool,
    /// Logs of the processes of its places; without them its progress is unknown.
    pub executor_logs: Option<LogKinds>,
    /// Logs that report the state of its run; without them its dependencies and the return of its result are unknown.
    pub owner_logs: Option<LogKinds>,
    /// Key that names the requester, who waits for the answer.
    pub requester_key: Option<String>,
    /// Keys with the begin and end of a run, in a record without a time.
    pub(crate) time_keys: Vec<String>,
    /// Key of the ids that separates runs without names; set only if several runs are opened
    /// together.
    pub run_key: Option<String>,
    /// Keys that precede an id that is unique only within their values: that of the runs, that of its scope.
    pub(crate) scope_keys: Vec<String>,
    /// Entity of the runs of its system; `None` for that entity itself.
    pub(crate) run_entity: Option<Arc<Entity>>,
}

impl Entity {
    /// Whether it is a work item, that is, whether an instance that has not ended is worth
    /// reporting.
    pub fn is_work_item(&self) -> bool {
        self.role == EntityRole::WorkItem
    }

    /// Whether it is a resource that runs work items.
    pub fn is_resource(&self) -> bool {
        self.role == EntityRole::Resource
    }

    /// Keys that name an instance within its scope: the last of each id, and that of its space.
    pub fn naming_keys(&self) -> impl Iterator<Item = &String> {
        let ids = self.id.iter().filter_map(|id| id.last());
        ids.chain(&self.space_key)
    }

    /// Index of the entity among `all` that it is part of (with the longest id that begins its own), or else of the
    /// innermost one that it runs on.
    pub fn outer(&self, all: &[Arc<Entity>]) -> Option<usize> {
        let others = || { all.iter().enumerate() }.filter(|(_, of)| of.name != self.name);
        let common = |of: &Entity| {
            let pairs = of
                .id
                .iter()
                .flat_map(|id| self.id.iter().map(move |own| (id, own)));
            let parts = pairs.filter(|(id, own)| id.len() < own.len() && own.starts_with(id));
            parts.map(|(id, _)| id.len()).max()
        };
        let whole = others().filter_map(|(at, of)| Some((common(of)?, at)));
        let place = |of: &Entity| {
            let mut names = of.naming_keys();
            names.find_map(|key| self.place_keys.iter().position(|place| place == key))
        };
        let places = others().filter_map(|(at, of)| Some((place(of)?, at)));
        whole.max().or_else(|| places.max()).map(|(_, at)| at)
    }

    /// Plural of the title: `tasks`, `tries`.
    pub fn plural(&self) -> String {
        plural(&self.title)
    }

    /// Keys of the first id without a scope whose keys all occur, or else of the first such id.
    pub fn identifying_keys(&self, occurs: impl Fn(&str) -> bool) -> &[String] {
        let is_scope =
            |key: &String| self.scope_keys.contains(key) && Some(key) != self.run_key.as_ref();
        let mut ids = { self.id.iter() }.filter(|id| !id.first().is_some_and(is_scope));
        let first = ids.clone().next();
        let id = ids.find(|id| id.iter().all(|key| occurs(key)));
        id.or(first).map_or(&[], Vec::as_slice)
    }

    /// Keys of its definition for dependencies.
    pub fn all_dependency_keys(&self) -> impl Iterator<Item = &String> {
        self.dependency_keys.iter().chain(&self.dependent_key)
    }

    /// Whether its definition has keys for dependencies.
    pub fn has_dependencies(&self) -> bool {
        self.all_dependency_keys().next().is_some()
    }

    /// Whether a state is final.
    pub fn is_final(&self, state: &str) -> bool {
        self.final_states.iter().any(|s| s == state)
    }

    /// Whether it has final states or an `end` condition.
    pub fn can_end(&self) -> bool {
        self.end.is_some() || !self.final_states.is_empty()
    }
}

/// Entities of a definition, and the errors of conditions that cannot be parsed.
pub fn from_definition(def: &Definition) -> (Vec<Entity>, Vec<InvalidText>) {
    let mut entities = Vec::new();
    let mut bad = Vec::new();
    for entity in &def.entity {
        match compile_entity(def, entity) {
            Ok(entity) => entities.push(with_scope(with_requester(entity, def), def)),
            Err(error) => bad.push(error),
        }
    }
    if let Some(run) = run_entity(&entities, def) {
        let run = Arc::new(run);
        let others = entities.iter_mut().filter(|e| e.name != run.name);
        others.for_each(|entity| entity.run_entity = Some(run.clone()));
    }
    (entities, bad)
}

/// Entity of the runs: the one with the role of a run, or one identified by the key that separates
/// runs.
fn run_entity(entities: &[Entity], def: &Definition) -> Option<Entity> {
    let named = entities.iter().find(|e| e.role == EntityRole::Run);
    let keyed = || {
        let key = def.runs.as_ref()?.key.get_ref();
        Some(Entity {
            name: key.clone(),
            title: "run".to_owned(),
            system: def.name.get_ref().clone(),
            id: vec![vec![key.clone()]],
            role: EntityRole::Run,
            ..Entity::default()
        })
    };
    named.cloned().or_else(keyed)
}

/// Moves the key of the dependent instances to that of the requester if its values are places of execution.
fn with_requester(mut entity: Entity, def: &Definition) -> Entity {
    let space = |key: &String| def.keys.get(key).and_then(|key| key.space.as_ref());
    let place = entity.place_keys.last();
    let is_place = |key: &mut String| place.is_some() && space(key) == place;
    entity.requester_key = entity.dependent_key.take_if(is_place);
    entity
}

/// Adds the scope of its ids to an entity: the key that separates runs, if its system has one, and the keys within whose
/// values the first key of an id is unique.
fn with_scope(mut entity: Entity, def: &Definition) -> Entity {
    let ids = std::mem::take(&mut entity.id);
    let run_key = def.runs.iter().map(|runs| runs.key.get_ref());
    let first_key = ids.first().and_then(|id| def.keys.get(id.first()?));
    let scope = first_key.into_iter().flat_map(|key| key.scope.all());
    entity.run_key = run_key.clone().next().cloned();
    entity.scope_keys = run_key.chain(scope).cloned().collect();
    for key in &entity.scope_keys {
        let scoped = |id: &Vec<String>| std::iter::once(key).chain(id).cloned().collect();
        entity.id.extend(ids.iter().map(scoped));
    }
    entity.id.extend(ids);
    if entity.id_separators.len() > 1 {
        let separators = entity.id_separators.clone();
        for _ in &entity.scope_keys {
            entity.id_separators.extend_from_slice(&separators);
        }
    }
    entity
}

/// Measurements that may be numbers of an entity's instances in a state.
fn state_counts(system: &Definition, def: &EntityDef) -> Vec<StateCountRule> {
    let by_one_key = system.series.iter().filter_map(|series| {
        let [state_key] = series.by.as_slice() else {
            return None;
        };
        let text = format!("{} = 0", series.key.get_ref());
        Some(StateCountRule {
            condition: parse(&text, None, &TimeContext::default()).ok()?,
            state_key: state_key.get_ref().clone(),
        })
    });
    match def.neutral.is_empty() {
        true => Vec::new(),
        false => by_one_key.collect(),
    }
}

/// Logs of the processes of an entity's places.
fn executor_logs(system: &Definition, def: &EntityDef) -> Option<LogKinds> {
    let places = def.runs_in.iter().filter_map(|place| {
        let is_place = |key: &Text| key.get_ref() == place.get_ref();
        let is_named = |of: &&EntityDef| of.id.iter().any(|id| id.last().is_some_and(is_place));
        let mut others = system
            .entity
            .iter()
            .filter(|of| of.name.get_ref() != def.name.get_ref());
        others.find(is_named)
    });
    let mut processes: Vec<&ProcessDef> = places.filter_map(|of| of.process.as_ref()).collect();
    // The outer processes assign it to the innermost one, which alone begins it.
    if def.role == EntityRole::StandIn {
        processes.drain(..processes.len().saturating_sub(1));
    }
    LogKinds::of(system, processes.iter().flat_map(|process| &process.kinds))
}

/// Logs that report the states of the runs of an entity's system.
fn owner_logs(system: &Definition, def: &EntityDef) -> Option<LogKinds> {
    let run = { system.entity.iter() }.find(|of| of.role == EntityRole::Run)?;
    let is_work = matches!(def.role, EntityRole::WorkItem | EntityRole::StandIn);
    LogKinds::of(system, run.recorders.iter().filter(|_| is_work))
}

impl LogKinds {
    /// `None` without kinds.
    fn of<'d>(system: &Definition, kinds: impl Iterator<Item = &'d String>) -> Option<LogKinds> {
        let kinds: Vec<String> = kinds.cloned().collect();
        let sources = kinds.iter().filter_map(|kind| {
            let source = system
                .source
                .iter()
                .find(|source| source.kind.get_ref() == kind);
            { source?.glob.iter() }.find_map(|glob| file_name(glob.get_ref()))
        });
        let mut files: Vec<String> = Vec::new();
        for file in sources {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let files = files.join(", ");
        (!files.is_empty()).then_some(LogKinds { kinds, files })
    }
}

/// Name of the files of a glob for users: `worker_*.log` for `run/worker_{rank:int}.*log`; `None` for names that begin
/// with any text.
fn file_name(glob: &str) -> Option<String> {
    let mut name = String::new();
    let mut parts = glob.rsplit('/').next()?.split('{');
    name.push_str(parts.next()?);
    for part in parts {
        name.push('*');
        name.push_str(part.split_once('}')?.1);
    }
    // What a rotation adds before the ending.
    (!name.starts_with('*')).then(|| name.replace(".*", "."))
}

/// Compiles an entity of a definition, or returns the first invalid condition.
fn compile_entity(system: &Definition, def: &EntityDef) -> Result<Entity, InvalidText> {
    let names =
        |keys: &[Text]| -> Vec<String> { keys.iter().map(|k| k.get_ref().clone()).collect() };
    let optional = |text: &Option<Text>| text.as_ref().map(condition).transpose();
    let mut transitions = Vec::new();
    for t in &def.transition {
        transitions.push(Transition {
            condition: condition(&t.only)?,
            state: t.state.clone(),
            previous_states: t.from.clone(),
            or_end: t.or_over,
            delay_key: t.after.as_ref().map(|key| DurationKey::new(system, key)),
            lead_key: t.before.as_ref().map(|key| DurationKey::new(system, key)),
        });
    }
    let name = def.name.get_ref().clone();
    let title = match def.title.as_str() {
        "" => last_part(&name).to_owned(),
        title => title.to_owned(),
    };
    Ok(Entity {
        title,
        about: def.about.clone(),
        name,
        system: system.name.get_ref().clone(),
        id: def.id.iter().map(|k| names(k)).collect(),
        space_key: def.space.as_ref().map(|space| space.key.get_ref().clone()),
        id_separators: def.joined.all().to_vec(),
        role: def.role,
        label_keys: names(&def.label),
        state_key: def.state.as_ref().map(|k| k.get_ref().clone()),
        previous_state_key: def.left.as_ref().map(|k| k.get_ref().clone()),
        transitions,
        state_counts: state_counts(system, def),
        states: def.states.clone(),
        final_states: def.last.clone(),
        resumable_states: def.goes_on.clone(),
        failed_states: def.failed.clone(),
        inconclusive_states: def.inconclusive.clone(),
        neutral_states: def.neutral.clone(),
        condition: optional(&def.only)?,
        begun: optional(&def.begun)?,
        start: optional(&def.start)?,
        assigned: optional(&def.given)?,
        alternative_start: optional(&def.start_else)?,
        alternative_end: optional(&def.end_else)?,
        restart: optional(&def.anew)?,
        end: optional(&def.end)?,
        lost: optional(&def.lost)?,
        obsolete: optional(&def.over)?,
        returned: optional(&def.back)?,
        dependent_key: def.awaited_by.as_ref().map(|k| k.get_ref().clone()),
        failure_keys: names(&def.why),
        failure_code_keys: names(&def.why_else),
        reason_keys: names(&def.because),
        waiting_states: def.waiting.clone(),
        executing_states: def.executing.clone(),
        executed_states: def.executed.clone(),
        unplaced_states: def.unplaced.clone(),
        dependency_keys: def.waits_for.all().to_vec(),
        place_keys: names(&def.runs_in),
        reporters: def.recorders.clone(),
        duration_key: { def.took.as_ref() }.map(|key| DurationKey::new(system, key.get_ref())),
        is_repeated: def.repeats,
        executor_logs: executor_logs(system, def),
        owner_logs: owner_logs(system, def),
        requester_key: None,
        time_keys: names(&def.times),
        run_key: None,
        scope_keys: Vec::new(),
        run_entity: None,
    })
}
