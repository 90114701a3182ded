//! Joins as specified by definitions or by the user.

mod reading;

use widetui_definition::meaning::{
    AgainDef, Among, BracketDef, FirstDef, JoinDef, OnceDef, ReadingDef, RunsDef,
};
use widetui_definition::syntax::{Definition, spelling};
use widetui_definition::text::Text;
use widetui_format::parts::expand;
use widetui_format::pattern::Pattern;
use widetui_query::{Expr, TimeContext, parse};
use widetui_store::derived::GiverKind;

pub use reading::{Composition, ReadingRule};

/// A way to widen events.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Unique among the joins of a run.
    pub name: String,
    /// The definition that it comes from; `None` when the user built it.
    pub system: Option<String>,
    /// Whom it gives something.
    pub receivers: Receivers,
    /// What it does.
    pub rule: JoinRule,
}

/// Which records a join gives something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Receivers {
    /// All that lack it.
    #[default]
    All,
    /// Those that were not joined before: what widetui wrote has what the joins that it carries gave then, and a part of a run
    /// may lack what spoke against more.
    Unjoined,
}

/// What a join does.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinRule {
    /// Keys imply keys.
    Keys(KeyRule),
    /// Records between two messages of one thread are about the same thing.
    Bracket(BracketRule),
    /// The first record of a file speaks for all of it.
    First(FirstRule),
    /// Runs follow each other in the same logs.
    Again(AgainRule),
    /// What a record says itself is read once more.
    Reading(ReadingRule),
}

/// Keys imply keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyRule {
    /// The left keys.
    pub by: Vec<String>,
    /// A left key more, where a record of the run has it: it tells runs apart that have no names.
    pub within: Option<String>,
    /// The right keys.
    pub gives: Vec<String>,
    /// Only events that fit take part.
    pub only: Option<Expr>,
    /// Only events that fit are evidence.
    pub evidence: Option<Expr>,
    /// From what to what the left keys mean one thing.
    pub life: Option<(Expr, Option<Expr>)>,
    /// Which records it is for.
    pub among: Among,
    /// What each bearer does once.
    pub once: Option<OnceRule>,
}

/// What each bearer does once, in one group of a join.
#[derive(Clone, Debug, PartialEq)]
pub struct OnceRule {
    /// Keys that name it.
    pub by: Vec<String>,
    /// The events that say it.
    pub only: Expr,
    /// Keys of which all who tell of it tell the same.
    pub alike: Vec<String>,
    /// The key under which its name is told elsewhere, and the one under which it is told of itself.
    pub named: Option<(String, String)>,
    /// The one of `by` that goes up from each time to the next on one thread.
    pub ascending: Option<String>,
    /// Whether nothing is told of it before.
    pub begins: bool,
    /// The kinds of sources by whose clock; none: all that the rule is about.
    pub clocks: Vec<String>,
    /// The number with which each bearer begins, where it leaves none of the ascending ones out.
    pub counted: Option<i64>,
    /// Events of the same names that come before it.
    pub after: Option<Expr>,
    /// Whether it never happens without one of these.
    pub needed: bool,
}

impl OnceRule {
    /// That what some keys name happens once, and these events say so.
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

/// See `JoinRule::First`.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstRule {
    /// Kinds of sources; none: all of the system.
    pub kinds: Vec<String>,
    /// What is given: the key, and then, if there are several stretches, that of the path.
    pub gives: Vec<String>,
    /// Where it speaks only for a stretch of the file.
    pub anew: Option<AnewRule>,
}

/// How a file goes on with another thing.
#[derive(Clone, Debug, PartialEq)]
pub struct AnewRule {
    /// Begins one.
    pub open: Expr,
    /// It is over.
    pub close: Expr,
    /// The key that names what the path is for the later ones.
    pub named: Option<String>,
}

/// See `JoinRule::Again`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgainRule {
    /// Kinds of sources that tell of a start; none: all of the system.
    pub kinds: Vec<String>,
    /// The key that names the run.
    pub gives: [String; 1],
    /// A start.
    pub open: Expr,
    /// Whether paths name the run only where several are opened together: all logs of the system are of it then.
    pub is_unnamed: bool,
}

/// See `JoinRule::Bracket`.
#[derive(Clone, Debug, PartialEq)]
pub struct BracketRule {
    /// Kinds of sources; none: all of the system.
    pub kinds: Vec<String>,
    /// Opens.
    pub open: Expr,
    /// Closes.
    pub close: Option<Expr>,
    /// Whether another one that opens is inside.
    pub stays: bool,
    /// What is inside this one neither closes it nor names anything for it.
    pub outside: Option<Box<BracketRule>>,
    /// Keys that are given.
    pub gives: Vec<String>,
    /// Only events that fit take part.
    pub only: Option<Expr>,
    /// Which records it is for.
    pub among: Among,
    /// What each bearer does once.
    pub once: Option<OnceRule>,
    /// The events with which that begins of which it is, and the key by which they name it.
    pub since: Option<(Expr, String)>,
}

impl Join {
    /// A join of the user's own.
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

    /// The left keys, as far as it has some.
    pub fn by(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.by,
            JoinRule::Reading(rule) => rule.by(),
            JoinRule::Bracket(_) | JoinRule::First(_) | JoinRule::Again(_) => &[],
        }
    }

    /// The keys that it gives.
    pub fn gives(&self) -> &[String] {
        match &self.rule {
            JoinRule::Keys(rule) => &rule.gives,
            JoinRule::Bracket(rule) => &rule.gives,
            JoinRule::First(rule) => &rule.gives,
            JoinRule::Again(rule) => &rule.gives,
            JoinRule::Reading(rule) => rule.gives(),
        }
    }

    /// How it gives values.
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

/// A text of a definition that does not say what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    /// The text.
    pub text: Text,
    /// Byte in it from which on.
    pub at: usize,
    /// What is wrong.
    pub problem: String,
}

/// A condition as an expression.
///
/// # Errors
/// Where it is none.
pub fn condition(text: &Text) -> Result<Expr, BadText> {
    parse(text.get_ref(), None, &TimeContext::default()).map_err(|e| BadText {
        text: text.clone(),
        at: 0,
        problem: format!("this is no condition: {e}"),
    })
}

/// The joins of a definition, and what is wrong with the others.
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
        add(format!("first {}", first.key.get_ref()), of_first(first));
    }
    for again in &def.again {
        add(format!("again {}", again.key.get_ref()), of_again(again));
    }
    if let Some(runs) = &def.runs {
        let anew = def.entity.iter().filter_map(|e| e.anew.as_ref());
        for (at, anew) in anew.enumerate() {
            let name = match at {
                0 => format!("again {}", runs.key.get_ref()),
                at => format!("again {} {}", runs.key.get_ref(), at + 1),
            };
            add(name, of_runs(runs, anew));
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

/// Of runs without names: whoever owns their work began anew.
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
