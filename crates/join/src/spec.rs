//! Join rules as specified by system definitions or by the user.

mod extraction;
pub(crate) mod identity;
mod typed;

use widetui_definition::semantics::{
    Among, BracketDef, ConsecutiveRunsDef, ExtractionDef, FirstRecordDef, JoinDef, LeftKeys,
    RecordDef, RunsDef,
};
use widetui_definition::syntax::{Definition, JOIN_SEPARATOR, spelling};
use widetui_definition::text::Text;
use widetui_format::pattern::Pattern;
use widetui_format::pattern::parts::expand;
use widetui_query::{Expr, TimeContext, parse};
use widetui_store::derived::JoinKind;

pub use extraction::{Composition, ExtractionRule};
pub use identity::{OrderRule, ProcessRule, add_scopes, identity_joins};
pub use typed::{TypedJoin, records_of_source};

/// A rule that derives values of keys for events.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Name, unique among the joins of a run: that of the system and its own, `slurm: block of job`. A join made by the user
    /// has its own name alone.
    pub name: String,
    /// Name of the system definition that contains the join; `None` for a join made by the user.
    pub system: Option<String>,
    /// Records that may receive values from the join.
    pub receivers: Receivers,
    /// How the join derives values.
    pub rule: JoinRule,
}

/// Records that may receive values from a join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Receivers {
    /// All records that lack the value.
    #[default]
    All,
    /// Only records of sources that widetui did not write itself. An exported source already holds
    /// the values that its joins derived, and joining an excerpt of a run again could miss
    /// conflicts that the whole run has.
    NotExported,
}

/// Rule by which a join derives values.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinRule {
    /// The values of some keys determine the values of other keys.
    Keys(KeyRule),
    /// Records of one thread between an opening and a closing message concern the same instance.
    Bracket(BracketRule),
    /// The first record of a file states a value that holds for the whole file.
    FirstRecord(FirstRecordRule),
    /// Consecutive runs write to the same logs; records are assigned to a run by time.
    ConsecutiveRuns(ConsecutiveRunsRule),
    /// Keys are extracted from the record's own message or values (`[[reading]]`).
    Extraction(ExtractionRule),
}

/// Join in which the values of the left keys determine the values of the right keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyRule {
    /// Left keys; an event takes part only if it has all of them.
    pub left_keys: Vec<String>,
    /// Keys within whose values the left keys are unique, each an additional left key if any record
    /// has it: the run, the cluster of a batch system.
    pub scope_keys: Vec<String>,
    /// Left key whose values are unique only within a scope that a join of their own gives: where a value occurs in several
    /// scopes, the scope is part of the group.
    pub scoped_key: Option<String>,
    /// True if the join gives values of its left key their scope.
    pub is_scope: bool,
    /// Number of right keys, the last ones, that stand in for the others in records that lack those.
    pub scope_stand_ins: usize,
    /// True if the join gives the instances of a space their ids in their own systems.
    pub is_space: bool,
    /// True if several values of a right key are no contradiction.
    pub is_open: bool,
    /// Right keys: the keys whose values are derived.
    pub right_keys: Vec<String>,
    /// Right keys that are the scope of another right key.
    pub given_scopes: Vec<GivenScope>,
    /// Condition of the events that take part; `None` for all.
    pub condition: Option<Expr>,
    /// Condition of the events whose values are evidence; `None` for all that take part.
    pub evidence: Option<Expr>,
    /// Condition of the events that may receive values, besides the evidence; `None` for all that take part.
    pub receivers: Option<Expr>,
    /// True if the left keys lack some that identify an instance: they do only where no value contradicts another.
    pub is_reduced: bool,
    /// Conditions of the events that start and end a lifetime, within which the left keys identify
    /// one instance; without an end condition the next start ends it.
    pub lifetime: Option<(Expr, Option<Expr>)>,
    /// True if the left keys are an instance and its process: records that name the process are in its lifetimes, too.
    pub is_of_process: bool,
    /// Restriction of the join to duplicated records, if any.
    pub duplicates: Among,
    /// Processes that the last left key, a process id, names.
    pub processes: Option<Box<ProcessRule>>,
    /// Numbers by order, from which alone the values follow.
    pub order: Option<Box<OrderRule>>,
    /// Keys of which each has at most one value in runs that the join is for.
    pub sole_keys: Vec<String>,
    /// Record that the left keys identify among the events that take part, if they do.
    pub identified_record: Option<RecordDef>,
}

/// Right key that is the scope of another one: a record that names another instance does not receive it.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenScope {
    /// Key of the scope.
    pub scope: String,
    /// Key of the instance.
    pub instance: String,
}

/// Rule for [`JoinRule::FirstRecord`]: the first record of a file states a value for the file.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstRecordRule {
    /// Kinds of sources; empty for all of the system.
    pub source_kinds: Vec<String>,
    /// Derived keys: the key that the first record states and, if files have several sections, the
    /// key of the path that names them.
    pub derived_keys: Vec<String>,
    /// Condition of the records that state the value; all if `None`.
    pub condition: Option<Expr>,
    /// How a file is split into sections; `None` if the first record holds for the whole file.
    pub sections: Option<SectionRule>,
}

/// Conditions that split a file into sections, each of which concerns another instance.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionRule {
    /// Condition of the records that start a section.
    pub(crate) start: Expr,
    /// Condition of the records that end a section.
    pub(crate) end: Expr,
    /// Condition of the record with which a log ends although its process goes on.
    pub(crate) last: Option<Expr>,
    /// Key whose value replaces the value of the path in later sections.
    pub(crate) name_key: Option<String>,
}

/// Rule for [`JoinRule::ConsecutiveRuns`]: consecutive runs in the same logs.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsecutiveRunsRule {
    /// Kinds of sources that report the start of a run; empty for all of the system.
    pub source_kinds: Vec<String>,
    /// Key that holds the name of the run.
    pub run_key: [String; 1],
    /// Condition of the records that report the start of a run.
    pub(crate) start: Expr,
    /// True if the paths name the run only where several runs are opened together; then all logs of
    /// the system belong to one group.
    pub(crate) is_unnamed: bool,
}

/// Rule for [`JoinRule::Bracket`]: the records of one thread between two messages.
#[derive(Clone, Debug, PartialEq)]
pub struct BracketRule {
    /// Kinds of sources; empty for all of the system.
    pub source_kinds: Vec<String>,
    /// True if the definition describes no sources: the bracket applies to those of all systems.
    pub is_of_any_system: bool,
    /// Condition of the record that opens a bracket.
    pub open: Expr,
    /// Condition of the record that closes a bracket; without it only the next opening record does.
    pub close: Option<Expr>,
    /// True if a further opening record lies inside the open bracket instead of opening a new one.
    pub absorbs_openings: bool,
    /// Keys whose values all records of the bracket share.
    pub derived_keys: Vec<String>,
    /// Condition of the events that take part; `None` for all.
    pub condition: Option<Expr>,
    /// Restriction of the join to duplicated records, if any.
    pub duplicates: Among,
    /// Condition of the events that start the instance of a bracket, and the key by which they name
    /// it: records of the bracket before that start do not belong to it.
    pub instance_start: Option<(Expr, String)>,
}

impl Join {
    /// Name without the system.
    pub fn own_name(&self) -> &str {
        let system = self.system.as_deref();
        let rest = system.and_then(|system| self.name.strip_prefix(system));
        let own = rest.and_then(|rest| rest.strip_prefix(JOIN_SEPARATOR));
        own.unwrap_or(&self.name)
    }

    /// True if a typed name, full or without the system, means the join.
    pub fn is_named(&self, typed: &str) -> bool {
        self.name == typed || self.own_name() == typed
    }

    /// Creates a join of the user in which the keys `left_keys` determine the keys `right_keys`.
    pub fn keys(name: &str, left_keys: &[&str], right_keys: &[&str]) -> Join {
        let own = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect();
        Join {
            name: name.to_owned(),
            system: None,
            receivers: Receivers::All,
            rule: JoinRule::Keys(KeyRule {
                left_keys: own(left_keys),
                right_keys: own(right_keys),
                ..KeyRule::default()
            }),
        }
    }

    /// Left keys; empty for rules without keys.
    pub fn left_keys(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.left_keys,
            JoinRule::Extraction(rule) => rule.input_keys(),
            JoinRule::Bracket(_) | JoinRule::FirstRecord(_) | JoinRule::ConsecutiveRuns(_) => &[],
        }
    }

    /// Keys whose values the join derives.
    pub fn right_keys(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.right_keys,
            JoinRule::Bracket(rule) => &rule.derived_keys,
            JoinRule::FirstRecord(rule) => &rule.derived_keys,
            JoinRule::ConsecutiveRuns(rule) => &rule.run_key,
            JoinRule::Extraction(rule) => rule.extracted_keys(),
        }
    }

    /// System to whose sources a rule about sources applies; `None` for all sources.
    pub(crate) fn source_system(&self) -> Option<&str> {
        match &self.rule {
            JoinRule::Bracket(rule) if rule.is_of_any_system => None,
            _ => self.system.as_deref(),
        }
    }

    /// True if the join gives values of its left key their scope.
    pub(crate) fn is_scope(&self) -> bool {
        matches!(&self.rule, JoinRule::Keys(rule) if rule.is_scope)
    }

    /// Kind of the rule, as stored with each derived value.
    pub fn kind(&self) -> JoinKind {
        match &self.rule {
            JoinRule::Keys(_) => JoinKind::Keys,
            JoinRule::Bracket(_) => JoinKind::Bracket,
            JoinRule::FirstRecord(_) => JoinKind::FirstRecord,
            JoinRule::ConsecutiveRuns(_) => JoinKind::ConsecutiveRuns,
            JoinRule::Extraction(_) => JoinKind::Extraction,
        }
    }
}

/// Invalid text in a definition, with the position and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidText {
    /// The invalid text, with its position in the definition.
    pub text: Text,
    /// Byte offset of the problem in the text.
    pub offset: usize,
    /// Description of the problem, without the position.
    pub problem: String,
}

/// Parses a condition of a definition.
///
/// # Errors
/// If the text is not a condition.
pub fn condition(text: &Text) -> Result<Expr, InvalidText> {
    parse(text.get_ref(), None, &TimeContext::default()).map_err(|e| InvalidText {
        text: text.clone(),
        offset: 0,
        problem: format!("not a condition: {e}"),
    })
}

/// Compiles the joins of a definition; texts of invalid joins are returned as errors.
pub fn from_definition(def: &Definition) -> (Vec<Join>, Vec<InvalidText>) {
    let system = def.name.get_ref();
    let mut joins = Vec::new();
    let mut bad = Vec::new();
    let mut add = |name: String, rule: Result<JoinRule, InvalidText>| match rule {
        Ok(rule) => joins.push(Join {
            name: def.full_join_name(&name),
            system: Some(system.clone()),
            receivers: Receivers::All,
            rule,
        }),
        Err(error) => bad.push(error),
    };
    for join in &def.join {
        let within = def.runs.iter().map(|runs| runs.key.get_ref().clone());
        let within: Vec<String> = within.collect();
        for left in join.alternatives() {
            let rule = key_rule(join, &left, within.clone());
            add(left.name, rule);
        }
    }
    for bracket in &def.bracket {
        add(
            bracket.name.get_ref().clone(),
            bracket_rule(def, bracket).map(JoinRule::Bracket),
        );
    }
    for first in &def.first {
        add(first.join_name(), first_record_rule(first));
    }
    for runs_def in &def.again {
        add(runs_def.join_name(), consecutive_runs_rule(runs_def));
    }
    if let Some(runs) = &def.runs {
        let sections_def = def.entity.iter().filter_map(|e| e.anew.as_ref());
        for (at, sections_def) in sections_def.enumerate() {
            add(runs.join_name(at), restart_rule(runs, sections_def));
        }
    }
    for pair in &def.pair {
        let [forth, back] = pair.join_names();
        match identity::order_rules(pair) {
            Ok([number, key]) => {
                add(forth, Ok(number));
                add(back, Ok(key));
            }
            Err(error) => add(forth, Err(error)),
        }
    }
    for reading in &def.reading {
        add(
            reading.name.get_ref().clone(),
            extraction_rule(def, reading),
        );
    }
    (joins, bad)
}

/// Names of keys without their positions.
fn key_names(keys: &[Text]) -> Vec<String> {
    keys.iter().map(|k| k.get_ref().clone()).collect()
}

/// Compiles a `[[first]]` rule.
fn first_record_rule(def: &FirstRecordDef) -> Result<JoinRule, InvalidText> {
    let mut derived_keys = vec![def.key.get_ref().clone()];
    let sections_def = match &def.anew {
        None => None,
        Some(sections_def) => {
            derived_keys.extend(sections_def.path.iter().map(|key| key.get_ref().clone()));
            Some(SectionRule {
                start: condition(&sections_def.open)?,
                end: condition(&sections_def.close)?,
                last: sections_def.last.as_ref().map(condition).transpose()?,
                name_key: sections_def.named.as_ref().map(|key| key.get_ref().clone()),
            })
        }
    };
    Ok(JoinRule::FirstRecord(FirstRecordRule {
        source_kinds: def.kinds.clone(),
        derived_keys,
        condition: def.only.as_ref().map(condition).transpose()?,
        sections: sections_def,
    }))
}

/// Compiles an `[[again]]` rule.
fn consecutive_runs_rule(def: &ConsecutiveRunsDef) -> Result<JoinRule, InvalidText> {
    Ok(JoinRule::ConsecutiveRuns(ConsecutiveRunsRule {
        source_kinds: def.kinds.clone(),
        run_key: [def.key.get_ref().clone()],
        start: condition(&def.only)?,
        is_unnamed: false,
    }))
}

/// Rule for runs without names: a restart of the process that owns the work starts a new run.
fn restart_rule(def: &RunsDef, sections_def: &Text) -> Result<JoinRule, InvalidText> {
    Ok(JoinRule::ConsecutiveRuns(ConsecutiveRunsRule {
        source_kinds: Vec::new(),
        run_key: [def.key.get_ref().clone()],
        start: condition(sections_def)?,
        is_unnamed: true,
    }))
}

/// Compiles a `[[join]]` rule with one of its alternatives for the left keys.
fn key_rule(
    def: &JoinDef,
    left: &LeftKeys<'_>,
    scope_keys: Vec<String>,
) -> Result<JoinRule, InvalidText> {
    let lifetime_def = match &def.life {
        None => None,
        Some(lifetime_def) => Some((
            condition(&lifetime_def.open)?,
            lifetime_def.close.as_ref().map(condition).transpose()?,
        )),
    };
    if def.gives.is_empty() && def.record.is_none() {
        return Err(InvalidText {
            text: def.name.clone(),
            offset: 0,
            problem: "a join needs `gives`, or `record` if its keys identify a record".to_owned(),
        });
    }
    let mut evidence = def.evidence.as_ref().map(condition).transpose()?;
    let mut receivers = None;
    if !left.absent.is_empty() {
        // A record that states the right keys may have more keys than those that receive.
        let states: Vec<&str> = def.gives.iter().map(|key| key.get_ref().as_str()).collect();
        let states = derived_condition(&format!("has {}", states.join(" and has ")));
        evidence = evidence.or(Some(states));
        let absent = left.absent.join(" or has ");
        receivers = Some(derived_condition(&format!("not (has {absent})")));
    }
    Ok(JoinRule::Keys(KeyRule {
        left_keys: key_names(left.keys),
        scope_keys,
        right_keys: key_names(&def.gives),
        condition: def.only.as_ref().map(condition).transpose()?,
        evidence,
        receivers,
        is_reduced: left.is_reduced,
        lifetime: lifetime_def,
        duplicates: def.among,
        identified_record: def.record,
        ..KeyRule::default()
    }))
}

/// Condition on the names of keys of a definition; a name that is no key makes it a condition on all records.
fn derived_condition(text: &str) -> Expr {
    parse(text, None, &TimeContext::default()).unwrap_or_default()
}

/// Compiles a `[[bracket]]` rule.
fn bracket_rule(system: &Definition, def: &BracketDef) -> Result<BracketRule, InvalidText> {
    Ok(BracketRule {
        source_kinds: def.kinds.clone(),
        is_of_any_system: system.source.is_empty() && system.table.is_empty(),
        open: condition(&def.open)?,
        close: def.close.as_ref().map(condition).transpose()?,
        absorbs_openings: def.stays,
        derived_keys: key_names(&def.gives),
        condition: def.only.as_ref().map(condition).transpose()?,
        duplicates: def.among,
        instance_start: match &def.since {
            Some(start_def) => Some((
                condition(&start_def.only)?,
                start_def.named.get_ref().clone(),
            )),
            None => None,
        },
    })
}

/// Compiles a `[[reading]]` rule.
fn extraction_rule(def: &Definition, reading: &ExtractionDef) -> Result<JoinRule, InvalidText> {
    let bad = |text: &Text, at: usize, problem: &str| InvalidText {
        text: text.clone(),
        offset: at,
        problem: problem.to_owned(),
    };
    let mut patterns = Vec::new();
    for text in &reading.patterns {
        let all = expand(&def.parts, text.get_ref());
        let all = all.and_then(|all| all.iter().map(|p| Pattern::compile(p)).collect());
        let all: Vec<Pattern> = all.map_err(|e| bad(text, e.at, &e.text))?;
        patterns.extend(all);
    }
    let consts = reading.keys.iter();
    let consts = consts.map(|(key, value)| (key.clone(), spelling(value)));
    let of = reading.of.as_ref().map(|of| of.get_ref().clone());
    let only = reading.only.as_ref().map(condition).transpose()?;
    let mut composed = reading.compose.iter();
    if let Some((key, text)) = composed.next() {
        if composed.next().is_some() || of.is_some() || !patterns.is_empty() {
            let problem = "a reading with `compose` composes one key and extracts nothing else: write one for each key";
            return Err(bad(text, 0, problem));
        }
        let composition =
            Composition::compile(text.get_ref()).map_err(|e| bad(text, e.at, &e.text))?;
        let rule = ExtractionRule::composed(key.clone(), composition, only, consts.collect());
        return rule
            .map(JoinRule::Extraction)
            .map_err(|problem| bad(text, 0, problem));
    }
    let mut rule = ExtractionRule::new(of, only, patterns, consts.collect())
        .map_err(|problem| bad(&reading.name, 0, problem))?;
    rule.is_if_known = reading.if_known;
    Ok(JoinRule::Extraction(rule))
}
