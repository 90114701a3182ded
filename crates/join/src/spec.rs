//! Join rules as specified by system definitions or by the user.

mod reading;

use widetui_definition::meaning::{
    AgainDef, Among, BracketDef, FirstDef, JoinDef, OnceDef, ReadingDef, RunsDef,
};
use widetui_definition::syntax::{Definition, spelling};
use widetui_definition::text::Text;
use widetui_format::pattern::Pattern;
use widetui_format::pattern::parts::expand;
use widetui_query::{Expr, TimeContext, parse};
use widetui_store::derived::GiverKind;

pub use reading::{Composition, ReadingRule};

/// A rule that derives values of keys for events.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Name, unique among the joins of a run.
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
    Unjoined,
}

/// Rule by which a join derives values.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinRule {
    /// The values of some keys determine the values of other keys.
    Keys(KeyRule),
    /// Records of one thread between an opening and a closing message concern the same instance.
    Bracket(BracketRule),
    /// The first record of a file states a value that holds for the whole file.
    First(FirstRule),
    /// Consecutive runs write to the same logs; records are assigned to a run by time.
    Again(AgainRule),
    /// Keys are extracted from the record's own message or values (`[[reading]]`).
    Reading(ReadingRule),
}

/// Join in which the values of the left keys determine the values of the right keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyRule {
    /// Left keys; an event takes part only if it has all of them.
    pub by: Vec<String>,
    /// Key of the run, used as an additional left key if any record has it: separates runs that
    /// have no names.
    pub within: Option<String>,
    /// Right keys: the keys whose values are derived.
    pub gives: Vec<String>,
    /// Condition of the events that take part; `None` for all.
    pub only: Option<Expr>,
    /// Condition of the events whose values are evidence; `None` for all that take part.
    pub evidence: Option<Expr>,
    /// Conditions of the events that start and end a lifetime, within which the left keys identify
    /// one instance; without an end condition the next start ends it.
    pub life: Option<(Expr, Option<Expr>)>,
    /// Restriction of the join to duplicated records, if any.
    pub among: Among,
    /// Exactly-once constraint by which unassigned groups are decided.
    pub once: Option<OnceRule>,
}

/// Exactly-once constraint: an operation that each owner (a process, a worker) performs only once,
/// used to find the owner of a record that stands in the logs of several.
#[derive(Clone, Debug, PartialEq)]
pub struct OnceRule {
    /// Keys that identify the operation.
    pub by: Vec<String>,
    /// Condition of the events that report the execution of the operation.
    pub only: Expr,
    /// Keys whose values are equal in all records about the same operation of one owner.
    pub alike: Vec<String>,
    /// Keys that hold the name of the operation: in records about it elsewhere, and in its own
    /// record.
    pub named: Option<(String, String)>,
    /// Key among `by` whose number increases with each execution on one thread.
    pub ascending: Option<String>,
    /// Whether the operation is the first that is reported: records about it that are older exclude
    /// an owner.
    pub begins: bool,
    /// Kinds of sources whose clock is comparable with that of the operation's records; empty for
    /// all kinds of the rule.
    pub clocks: Vec<String>,
    /// First value of `ascending` for each owner, if its numbers have no gaps.
    pub counted: Option<i64>,
    /// Condition of events of the same operation that precede its execution.
    pub after: Option<Expr>,
    /// Whether the operation is never executed without an event that fits `after`.
    pub needed: bool,
}

impl OnceRule {
    /// Constraint on the operation that `by` identifies, executed in events that fit `only`,
    /// without further conditions.
    pub fn new(by: Vec<String>, only: Expr) -> OnceRule {
        OnceRule {
            by,
            only,
            alike: Vec::new(),
            named: None,
            ascending: None,
            begins: false,
            clocks: Vec::new(),
            counted: None,
            after: None,
            needed: false,
        }
    }
}

/// Rule for [`JoinRule::First`]: the first record of a file states a value for the file.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstRule {
    /// Kinds of sources; empty for all of the system.
    pub kinds: Vec<String>,
    /// Derived keys: the key that the first record states and, if files have several sections, the
    /// key of the path that names them.
    pub gives: Vec<String>,
    /// How a file is split into sections; `None` if the first record holds for the whole file.
    pub anew: Option<AnewRule>,
}

/// Conditions that split a file into sections, each of which concerns another instance.
#[derive(Clone, Debug, PartialEq)]
pub struct AnewRule {
    /// Condition of the records that start a section.
    pub open: Expr,
    /// Condition of the records that end a section.
    pub close: Expr,
    /// Key whose value replaces the value of the path in later sections.
    pub named: Option<String>,
}

/// Rule for [`JoinRule::Again`]: consecutive runs in the same logs.
#[derive(Clone, Debug, PartialEq)]
pub struct AgainRule {
    /// Kinds of sources that report the start of a run; empty for all of the system.
    pub kinds: Vec<String>,
    /// Key that holds the name of the run.
    pub gives: [String; 1],
    /// Condition of the records that report the start of a run.
    pub open: Expr,
    /// Whether the paths name the run only where several runs are opened together; then all logs of
    /// the system belong to one group.
    pub is_unnamed: bool,
}

/// Rule for [`JoinRule::Bracket`]: the records of one thread between two messages.
#[derive(Clone, Debug, PartialEq)]
pub struct BracketRule {
    /// Kinds of sources; empty for all of the system.
    pub kinds: Vec<String>,
    /// Condition of the record that opens a bracket.
    pub open: Expr,
    /// Condition of the record that closes a bracket; without it only the next opening record does.
    pub close: Option<Expr>,
    /// Whether a further opening record lies inside the open bracket instead of opening a new one.
    pub stays: bool,
    /// Bracket whose records neither close this bracket nor are evidence for it.
    pub outside: Option<Box<BracketRule>>,
    /// Keys whose values all records of the bracket share.
    pub gives: Vec<String>,
    /// Condition of the events that take part; `None` for all.
    pub only: Option<Expr>,
    /// Restriction of the join to duplicated records, if any.
    pub among: Among,
    /// Exactly-once constraint by which unassigned brackets are decided.
    pub once: Option<OnceRule>,
    /// Condition of the events that start the instance of a bracket, and the key by which they name
    /// it: records of the bracket before that start do not belong to it.
    pub since: Option<(Expr, String)>,
}

impl Join {
    /// Creates a join of the user in which the keys `by` determine the keys `gives`.
    pub fn keys(name: &str, by: &[&str], gives: &[&str]) -> Join {
        let own = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect();
        Join {
            name: name.to_owned(),
            system: None,
            receivers: Receivers::All,
            rule: JoinRule::Keys(KeyRule {
                by: own(by),
                gives: own(gives),
                ..KeyRule::default()
            }),
        }
    }

    /// Left keys; empty for rules without keys.
    pub fn by(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.by,
            JoinRule::Reading(rule) => rule.by(),
            JoinRule::Bracket(_) | JoinRule::First(_) | JoinRule::Again(_) => &[],
        }
    }

    /// Keys whose values the join derives.
    pub fn gives(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.gives,
            JoinRule::Bracket(rule) => &rule.gives,
            JoinRule::First(rule) => &rule.gives,
            JoinRule::Again(rule) => &rule.gives,
            JoinRule::Reading(rule) => rule.gives(),
        }
    }

    /// Kind of the rule, as stored with each derived value.
    pub fn kind(&self) -> GiverKind {
        match &self.rule {
            JoinRule::Keys(_) => GiverKind::Join,
            JoinRule::Bracket(_) => GiverKind::Bracket,
            JoinRule::First(_) => GiverKind::First,
            JoinRule::Again(_) => GiverKind::Again,
            JoinRule::Reading(_) => GiverKind::Reading,
        }
    }
}

/// Invalid text in a definition, with the position and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    /// The invalid text, with its position in the definition.
    pub text: Text,
    /// Byte offset of the problem in the text.
    pub at: usize,
    /// Description of the problem.
    pub problem: String,
}

/// Parses a condition of a definition.
///
/// # Errors
/// If the text is not a condition.
pub fn condition(text: &Text) -> Result<Expr, BadText> {
    parse(text.get_ref(), None, &TimeContext::default()).map_err(|e| BadText {
        text: text.clone(),
        at: 0,
        problem: format!("this is no condition: {e}"),
    })
}

/// Compiles the joins of a definition; texts of invalid joins are returned as errors.
pub fn of_definition(def: &Definition) -> (Vec<Join>, Vec<BadText>) {
    let system = def.name.get_ref();
    let mut joins = Vec::new();
    let mut bad = Vec::new();
    let mut add = |name: String, rule: Result<JoinRule, BadText>| match rule {
        Ok(rule) => joins.push(Join {
            name,
            system: Some(system.clone()),
            receivers: Receivers::All,
            rule,
        }),
        Err(error) => bad.push(error),
    };
    for join in &def.join {
        let within = def.runs.as_ref().map(|runs| runs.key.get_ref().clone());
        add(join.name.get_ref().clone(), of_join(join, within));
    }
    for bracket in &def.bracket {
        add(bracket.name.get_ref().clone(), of_bracket(def, bracket));
    }
    for first in &def.first {
        add(first.join_name(), of_first(first));
    }
    for again in &def.again {
        add(again.join_name(), of_again(again));
    }
    if let Some(runs) = &def.runs {
        let anew = def.entity.iter().filter_map(|e| e.anew.as_ref());
        for (at, anew) in anew.enumerate() {
            add(runs.join_name(at), of_runs(runs, anew));
        }
    }
    for reading in &def.reading {
        add(reading.name.get_ref().clone(), of_reading(def, reading));
    }
    (joins, bad)
}

fn names(keys: &[Text]) -> Vec<String> {
    keys.iter().map(|k| k.get_ref().clone()).collect()
}

fn of_first(def: &FirstDef) -> Result<JoinRule, BadText> {
    let mut gives = vec![def.key.get_ref().clone()];
    let anew = match &def.anew {
        None => None,
        Some(anew) => {
            gives.extend(anew.path.iter().map(|key| key.get_ref().clone()));
            Some(AnewRule {
                open: condition(&anew.open)?,
                close: condition(&anew.close)?,
                named: anew.named.as_ref().map(|key| key.get_ref().clone()),
            })
        }
    };
    Ok(JoinRule::First(FirstRule {
        kinds: def.kinds.clone(),
        gives,
        anew,
    }))
}

fn of_again(def: &AgainDef) -> Result<JoinRule, BadText> {
    Ok(JoinRule::Again(AgainRule {
        kinds: def.kinds.clone(),
        gives: [def.key.get_ref().clone()],
        open: condition(&def.only)?,
        is_unnamed: false,
    }))
}

/// Rule for runs without names: a restart of the process that owns the work starts a new run.
fn of_runs(def: &RunsDef, anew: &Text) -> Result<JoinRule, BadText> {
    Ok(JoinRule::Again(AgainRule {
        kinds: Vec::new(),
        gives: [def.key.get_ref().clone()],
        open: condition(anew)?,
        is_unnamed: true,
    }))
}

fn of_join(def: &JoinDef, within: Option<String>) -> Result<JoinRule, BadText> {
    let life = match &def.life {
        None => None,
        Some(life) => Some((
            condition(&life.open)?,
            life.close.as_ref().map(condition).transpose()?,
        )),
    };
    Ok(JoinRule::Keys(KeyRule {
        by: names(&def.by),
        within,
        gives: names(&def.gives),
        only: def.only.as_ref().map(condition).transpose()?,
        evidence: def.evidence.as_ref().map(condition).transpose()?,
        life,
        among: def.among,
        once: def.once.as_ref().map(of_once).transpose()?,
    }))
}

fn of_once(def: &OnceDef) -> Result<OnceRule, BadText> {
    Ok(OnceRule {
        alike: names(&def.alike),
        named: { def.named.as_ref() }.map(|n| (n.told.get_ref().clone(), n.own.get_ref().clone())),
        ascending: def.ascending.as_ref().map(|key| key.get_ref().clone()),
        begins: def.begins,
        needed: def.needed,
        clocks: names(&def.clocks),
        counted: def.counted,
        after: def.after.as_ref().map(condition).transpose()?,
        ..OnceRule::new(names(&def.by), condition(&def.only)?)
    })
}

fn of_bracket(of: &Definition, def: &BracketDef) -> Result<JoinRule, BadText> {
    let outside = match &def.outside {
        None => None,
        Some(name) => {
            let mut others = of.bracket.iter();
            let other = others.find(|b| b.name.get_ref() == name.get_ref() && b.outside.is_none());
            Some(Box::new(bracket(other.ok_or_else(|| BadText {
                text: name.clone(),
                at: 0,
                problem: "there is no such bracket that is outside of none".to_owned(),
            })?)?))
        }
    };
    Ok(JoinRule::Bracket(BracketRule {
        outside,
        ..bracket(def)?
    }))
}

fn bracket(def: &BracketDef) -> Result<BracketRule, BadText> {
    Ok(BracketRule {
        outside: None,
        kinds: def.kinds.clone(),
        open: condition(&def.open)?,
        close: def.close.as_ref().map(condition).transpose()?,
        stays: def.stays,
        gives: names(&def.gives),
        only: def.only.as_ref().map(condition).transpose()?,
        among: def.among,
        once: def.once.as_ref().map(of_once).transpose()?,
        since: match &def.since {
            Some(since) => Some((condition(&since.only)?, since.named.get_ref().clone())),
            None => None,
        },
    })
}

fn of_reading(def: &Definition, reading: &ReadingDef) -> Result<JoinRule, BadText> {
    let bad = |text: &Text, at: usize, problem: &str| BadText {
        text: text.clone(),
        at,
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
            let problem =
                "a reading puts one key together, and reads nothing else: write one for each";
            return Err(bad(text, 0, problem));
        }
        let made = Composition::compile(text.get_ref()).map_err(|e| bad(text, e.at, &e.text))?;
        let rule = ReadingRule::composed(key.clone(), made, only, consts.collect());
        return rule
            .map(JoinRule::Reading)
            .map_err(|problem| bad(text, 0, problem));
    }
    let rule = ReadingRule::new(of, only, patterns, consts.collect());
    rule.map(JoinRule::Reading)
        .map_err(|problem| bad(&reading.name, 0, problem))
}
