//! Entities as definitions describe them, with their conditions read.

use std::sync::Arc;

use widetui_core::words::plural;
use widetui_definition::meaning::{EntityDef, EntityRole, TellersDef};
use widetui_definition::syntax::Definition;
use widetui_definition::text::Text;
use widetui_join::spec::{BadText, condition};
use widetui_query::Expr;

/// A change of state that events tell without naming it.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The events.
    pub only: Expr,
    /// The new state.
    pub state: String,
    /// Only in these states; none: in all.
    pub from: Vec<String>,
    /// Whether the same event may tell that it ended.
    pub or_over: bool,
    /// Key with the seconds after which it does so.
    pub after: Option<String>,
    /// Key with the seconds before which it did so.
    pub before: Option<String>,
}

/// Records that say that none is in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct CensusRule {
    /// The records.
    pub only: Expr,
    /// The key that names the state.
    pub state: String,
    /// The state of those that were told to be in it.
    pub then: String,
}

/// A kind of thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    /// Dotted name: `parsl.task`.
    pub name: String,
    /// For people: `task`.
    pub title: String,
    /// The definition that it comes from.
    pub system: String,
    /// Keys that identify it, and alternatives.
    pub id: Vec<Vec<String>>,
    /// Stands between the values of its id where it is called by all of them: for all ids, or for each.
    pub joined: Vec<String>,
    /// What it is to the user.
    pub role: EntityRole,
    /// Keys whose value says what it is.
    pub label: Vec<String>,
    /// The key that names a new state.
    pub state: Option<String>,
    /// The key that names the state that such an event leaves.
    pub left: Option<String>,
    /// Events that change the state without naming it.
    pub transitions: Vec<Transition>,
    /// Records that say that none is in a state.
    pub census: Option<CensusRule>,
    /// States in their usual order.
    pub states: Vec<String>,
    /// Final states.
    pub last: Vec<String>,
    /// Final states that others may follow.
    pub goes_on: Vec<String>,
    /// Final states that are no success.
    pub failed: Vec<String>,
    /// Failed states that tell of one try, and not of what came after it.
    pub inconclusive: Vec<String>,
    /// Final states that do not say whether it went well.
    pub neutral: Vec<String>,
    /// Events that name it; none: all that have the keys of its id.
    pub only: Option<Expr>,
    /// What has no such event was only announced.
    pub begun: Option<Expr>,
    /// Starts it.
    pub start: Option<Expr>,
    /// Gives it to whoever carries it out.
    pub given: Option<Expr>,
    /// Tells of its start where nothing that starts it does.
    pub start_else: Option<Expr>,
    /// Tells of its end where nothing that ends it does.
    pub end_else: Option<Expr>,
    /// Whoever owns all of them began anew.
    pub anew: Option<Expr>,
    /// Ends it.
    pub end: Option<Expr>,
    /// Its owner saw that it was lost.
    pub lost: Option<Expr>,
    /// It is over, whatever became of it.
    pub over: Option<Expr>,
    /// Having been lost, it is there again.
    pub back: Option<Expr>,
    /// Names what it waits for.
    pub waits_for: Vec<String>,
    /// Names what waits for it.
    pub awaited_by: Option<String>,
    /// Nothing that began before such an event of who waits is waited for by `awaited_by`.
    pub awaited_since: Option<Expr>,
    /// States in which it waits for others.
    pub waiting: Vec<String>,
    /// States in which it is carried out.
    pub executing: Vec<String>,
    /// States in which it was carried out, and its owner does not know of it yet.
    pub executed: Vec<String>,
    /// States in which it is nowhere yet.
    pub unplaced: Vec<String>,
    /// Says why it failed.
    pub why: Vec<String>,
    /// Says so where no record does in words.
    pub why_else: Vec<String>,
    /// Says why it is in its state.
    pub because: Vec<String>,
    /// Says where it runs.
    pub runs_in: Vec<String>,
    /// Kinds of sources that tell its states.
    pub recorders: Vec<String>,
    /// The key that says how long it took.
    pub took: Option<String>,
    /// Whether it is carried out several times under one id.
    pub repeats: bool,
    /// The logs of those who carry it out.
    pub witnesses: Option<TellersDef>,
    /// The logs of those who own it.
    pub owners: Option<TellersDef>,
    /// Names who asked for it.
    pub asked_by: Option<String>,
    /// Its error output.
    pub complains: Option<Expr>,
    /// By the same value of this key at which another failed, it failed because of that one.
    pub failed_with: Option<String>,
    /// Tell which work of whoever asked it was asked for by.
    pub asked_in: Vec<String>,
    /// Say when it began and ended, in a record that is no event.
    pub times: Vec<String>,
    /// The key of its ids that tells runs apart which have no names; only where several are opened together.
    pub within: Option<String>,
    /// What of its system is a run, of which it may be a part; none for that one itself.
    pub run: Option<Arc<Entity>>,
}

impl Entity {
    /// Whether its not ending is news.
    pub fn is_goal(&self) -> bool {
        self.role == EntityRole::Goal
    }

    /// Whether it carries goals.
    pub fn is_carrier(&self) -> bool {
        self.role == EntityRole::Carrier
    }

    /// Several of them, for people: `tasks`, `tries`.
    pub fn plural(&self) -> String {
        plural(&self.title)
    }

    /// The keys that identify it in a run whose records have keys of these names; the first of its definition where none fit.
    pub fn identifying(&self, occurs: impl Fn(&str) -> bool) -> &[String] {
        let fits = |id: &&Vec<String>| id.iter().all(|key| occurs(key));
        let id = self.id.iter().find(fits).or(self.id.first());
        id.map_or(&[], Vec::as_slice)
    }

    /// Whether its definition says who waits for whom.
    pub fn knows_waits(&self) -> bool {
        !self.waits_for.is_empty() || self.awaited_by.is_some()
    }

    /// Whether a state is final.
    pub fn is_final(&self, state: &str) -> bool {
        self.last.iter().any(|s| s == state)
    }

    /// Whether it has states at all, or at least a condition that ends it.
    pub fn can_end(&self) -> bool {
        self.end.is_some() || !self.last.is_empty()
    }
}

/// The entities of a definition, and conditions that are none.
pub fn of_definition(def: &Definition) -> (Vec<Entity>, Vec<BadText>) {
    let mut entities = Vec::new();
    let mut bad = Vec::new();
    for entity in &def.entity {
        match of_entity(def.name.get_ref(), entity) {
            Ok(entity) => entities.push(within_runs(entity, def)),
            Err(error) => bad.push(error),
        }
    }
    if let Some(run) = run_of(&entities, def) {
        let run = Arc::new(run);
        let others = entities.iter_mut().filter(|e| e.name != run.name);
        others.for_each(|entity| entity.run = Some(run.clone()));
    }
    (entities, bad)
}

/// What is a run: an entity that says so, or whatever has one value of the key that tells runs apart.
fn run_of(entities: &[Entity], def: &Definition) -> Option<Entity> {
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

/// With the key that tells runs apart in its ids, where its system has one.
fn within_runs(mut entity: Entity, def: &Definition) -> Entity {
    let Some(runs) = &def.runs else {
        return entity;
    };
    let key = runs.key.get_ref();
    let of_run = |id: &Vec<String>| std::iter::once(key).chain(id).cloned().collect();
    let of_runs: Vec<Vec<String>> = entity.id.iter().map(of_run).collect();
    entity.id.splice(0..0, of_runs);
    if entity.joined.len() > 1 {
        entity.joined.extend_from_within(..);
    }
    entity.within = Some(key.clone());
    entity
}

fn of_entity(system: &str, def: &EntityDef) -> Result<Entity, BadText> {
    let names =
        |keys: &[Text]| -> Vec<String> { keys.iter().map(|k| k.get_ref().clone()).collect() };
    let optional = |text: &Option<Text>| text.as_ref().map(condition).transpose();
    let mut transitions = Vec::new();
    for t in &def.transition {
        transitions.push(Transition {
            only: condition(&t.only)?,
            state: t.state.clone(),
            from: t.from.clone(),
            or_over: t.or_over,
            after: t.after.clone(),
            before: t.before.clone(),
        });
    }
    let name = def.name.get_ref().clone();
    let title = match def.title.as_str() {
        "" => name.rsplit('.').next().unwrap_or(&name).to_owned(),
        title => title.to_owned(),
    };
    Ok(Entity {
        title,
        name,
        system: system.to_owned(),
        id: def.id.iter().map(|k| names(k)).collect(),
        joined: def.joined.clone(),
        role: def.role,
        label: names(&def.label),
        state: def.state.as_ref().map(|k| k.get_ref().clone()),
        left: def.left.as_ref().map(|k| k.get_ref().clone()),
        transitions,
        census: match &def.census {
            None => None,
            Some(census) => Some(CensusRule {
                only: condition(&census.only)?,
                state: census.state.get_ref().clone(),
                then: census.then.clone(),
            }),
        },
        states: def.states.clone(),
        last: def.last.clone(),
        goes_on: def.goes_on.clone(),
        failed: def.failed.clone(),
        inconclusive: def.inconclusive.clone(),
        neutral: def.neutral.clone(),
        only: optional(&def.only)?,
        begun: optional(&def.begun)?,
        start: optional(&def.start)?,
        given: optional(&def.given)?,
        start_else: optional(&def.start_else)?,
        end_else: optional(&def.end_else)?,
        anew: optional(&def.anew)?,
        end: optional(&def.end)?,
        lost: optional(&def.lost)?,
        over: optional(&def.over)?,
        back: optional(&def.back)?,
        awaited_by: def.awaited_by.as_ref().map(|k| k.get_ref().clone()),
        why: names(&def.why),
        why_else: names(&def.why_else),
        because: names(&def.because),
        awaited_since: optional(&def.awaited_since)?,
        waiting: def.waiting.clone(),
        executing: def.executing.clone(),
        executed: def.executed.clone(),
        unplaced: def.unplaced.clone(),
        waits_for: def.waits_for.clone(),
        runs_in: names(&def.runs_in),
        recorders: def.recorders.clone(),
        took: def.took.as_ref().map(|k| k.get_ref().clone()),
        repeats: def.repeats,
        witnesses: def.witnesses.clone(),
        owners: def.owners.clone(),
        asked_by: def.asked_by.as_ref().map(|k| k.get_ref().clone()),
        complains: optional(&def.complains)?,
        failed_with: def.failed_with.as_ref().map(|k| k.get_ref().clone()),
        asked_in: names(&def.asked_in),
        times: names(&def.times),
        within: None,
        run: None,
    })
}
