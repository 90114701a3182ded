//! Joins that a user types in one line, on the command line or in the explorer: a short spelling of the `[[reading]]`,
//! `[[join]]` and `[[bracket]]` of definitions.

use widetui_definition::semantics::Among;
use widetui_format::pattern::Pattern;
use widetui_query::{Expr, Field, Op, QueryError, TimeContext, parse};

use super::{BracketRule, Composition, ExtractionRule, Join, JoinRule, KeyRule, Receivers};

/// Kind of typed join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedJoin {
    /// Key with a value for all records, or for those of one source.
    Constant,
    /// Key whose values are those of another key.
    Rename,
    /// Keys whose values imply values of other keys.
    Imply,
    /// Keys of the records of a thread between two messages.
    Bracket,
}

/// Arrows between the sides of a join.
const ARROWS: [&str; 2] = ["=>", "⇒"];

impl TypedJoin {
    /// All kinds.
    pub const ALL: [TypedJoin; 4] = [
        TypedJoin::Constant,
        TypedJoin::Rename,
        TypedJoin::Imply,
        TypedJoin::Bracket,
    ];

    /// Name of the kind: that of the option, and the first word of the join's name.
    pub fn name(self) -> &'static str {
        match self {
            TypedJoin::Constant => "constant",
            TypedJoin::Rename => "rename",
            TypedJoin::Imply => "imply",
            TypedJoin::Bracket => "bracket",
        }
    }

    /// Form of the line, with its effect.
    pub fn form(self) -> &'static str {
        match self {
            TypedJoin::Constant => {
                "KEY = VALUE [@ SOURCE]: all records, or those of a source, get a key (of others: {host}:{pid})"
            }
            TypedJoin::Rename => "KEY = NAME: the values of a key are values of another one, too",
            TypedJoin::Imply => {
                "KEY, KEY => KEY: records with the same of the first get the others from each other"
            }
            TypedJoin::Bracket => {
                "\"begin\" .. \"end\" => KEY: a thread's records between two messages get a key from each other"
            }
        }
    }

    /// Example of a line.
    pub fn example(self) -> &'static str {
        match self {
            TypedJoin::Constant => "mysim.site = north @ worker_1.log",
            TypedJoin::Rename => "item = mysim.job",
            TypedJoin::Imply => "mysim.run, mysim.job => mysim.node",
            TypedJoin::Bracket => "\"job started\" .. \"job ended\" => mysim.job",
        }
    }

    /// Parses a line.
    ///
    /// # Errors
    /// The line has another form; with the place of the problem.
    pub fn parse(self, text: &str) -> Result<Join, QueryError> {
        let line = Line { kind: self, text };
        let (rule, written) = match self {
            TypedJoin::Constant => line.constant()?,
            TypedJoin::Rename => line.rename()?,
            TypedJoin::Imply => line.imply()?,
            TypedJoin::Bracket => line.bracket()?,
        };
        let name = format!("{} {written}", self.name());
        Ok(Join {
            name,
            system: None,
            receivers: Receivers::All,
            rule,
        })
    }

    /// Kind and line of a typed join; `None` for all others.
    pub fn of(join: &Join) -> Option<(TypedJoin, &str)> {
        let (word, line) = join.own_name().split_once(' ')?;
        let kind = TypedJoin::ALL
            .into_iter()
            .find(|kind| kind.name() == word)?;
        let is_same = |typed: Join| typed.rule == join.rule;
        kind.parse(line).is_ok_and(is_same).then_some((kind, line))
    }
}

/// Line of a kind, as typed.
#[derive(Clone, Copy)]
struct Line<'a> {
    kind: TypedJoin,
    text: &'a str,
}

/// Rule of a line, and the line in canonical form.
type Typed = (JoinRule, String);

impl<'a> Line<'a> {
    /// Error at a part of the line; at its end for a part that is missing.
    fn wrong(self, part: &str, text: impl Into<String>) -> QueryError {
        let start = self.text.find(part).filter(|_| !part.is_empty());
        QueryError {
            text: text.into(),
            query: self.text.to_owned(),
            at: start.unwrap_or(self.text.len()),
            len: start.map_or(0, |_| part.len()),
            suggestion: None,
        }
    }

    /// Error of a line of another form.
    fn malformed(self) -> QueryError {
        self.wrong("", format!("write it as in {}", self.kind.example()))
    }

    /// Both sides of the first of some signs.
    fn sides(self, signs: &[&str]) -> Result<(&'a str, &'a str), QueryError> {
        let found = { signs.iter() }.filter_map(|sign| Some((self.text.find(sign)?, sign.len())));
        let (at, len) = found.min().ok_or_else(|| self.malformed())?;
        let (left, right) = (self.text[..at].trim(), self.text[at + len..].trim());
        match left.is_empty() || right.is_empty() {
            true => Err(self.malformed()),
            false => Ok((left, right)),
        }
    }

    /// Name of a key, which may stand in backquotes.
    fn key(self, text: &'a str) -> Result<String, QueryError> {
        let bare = text.strip_prefix('`').and_then(|t| t.strip_suffix('`'));
        match Field::named(bare.unwrap_or(text)) {
            Field::Key(name)
                if !name.is_empty()
                    && (bare.is_some() || !name.contains([' ', '"', '{', '=', '@'])) =>
            {
                Ok(name)
            }
            _ => Err(self.wrong(text, "this is no name of a key")),
        }
    }

    /// Names of keys between commas.
    fn keys(self, text: &'a str) -> Result<Vec<String>, QueryError> {
        text.split(',').map(|key| self.key(key.trim())).collect()
    }

    fn constant(self) -> Result<Typed, QueryError> {
        let (left, rest) = self.sides(&["="])?;
        // A quoted value may contain any character.
        let quoted = rest.strip_prefix('"').and_then(|t| t.split_once('"'));
        let (value, source) = match quoted {
            Some((value, rest)) => (value, rest.trim().strip_prefix('@')),
            None => match rest.rsplit_once('@') {
                Some((value, source)) => (value.trim(), Some(source)),
                None => (rest, None),
            },
        };
        let (key, source) = (self.key(left)?, source.map(str::trim));
        if value.is_empty() || source.is_some_and(str::is_empty) {
            return Err(self.malformed());
        }
        let only = source.map(records_of_source);
        let rule = match quoted.is_none() && value.contains('{') {
            true => {
                let made = Composition::compile(value);
                let made = made.map_err(|e| self.wrong(&value[e.at.min(value.len())..], e.text))?;
                ExtractionRule::composed(key.clone(), made, only, Vec::new())
            }
            false => {
                let constants = vec![(key.clone(), value.to_owned())];
                ExtractionRule::new(None, only, Vec::new(), constants)
            }
        };
        let rule = rule.map_err(|problem| self.wrong(left, problem))?;
        let value = match quoted {
            Some(_) => format!("\"{value}\""),
            None => value.to_owned(),
        };
        let at = source.map_or(String::new(), |source| format!(" @ {source}"));
        Ok((JoinRule::Extraction(rule), format!("{left} = {value}{at}")))
    }

    fn rename(self) -> Result<Typed, QueryError> {
        let (left, right) = self.sides(&["="])?;
        let (from, to) = (self.key(left)?, self.key(right)?);
        let pattern = Pattern::compile(&format!("{{{to}:text}}"));
        let pattern = pattern.map_err(|e| self.wrong(right, e.text))?;
        let rule = ExtractionRule::new(Some(from), None, vec![pattern], Vec::new());
        let rule = rule.map_err(|problem| self.wrong(right, problem))?;
        Ok((JoinRule::Extraction(rule), format!("{left} = {right}")))
    }

    fn imply(self) -> Result<Typed, QueryError> {
        let (left, right) = self.sides(&ARROWS)?;
        let (by, gives) = (self.keys(left)?, self.keys(right)?);
        if let Some(key) = gives.iter().find(|key| by.contains(key)) {
            return Err(self.wrong(right, format!("{key} stands on both sides")));
        }
        let name = format!("{} => {}", by.join(", "), gives.join(", "));
        let rule = KeyRule {
            left_keys: by,
            right_keys: gives,
            ..KeyRule::default()
        };
        Ok((JoinRule::Keys(rule), name))
    }

    fn bracket(self) -> Result<Typed, QueryError> {
        let (messages, right) = self.sides(&ARROWS)?;
        let condition = |text: &'a str| {
            let text = text.trim();
            parse(text, None, &TimeContext::default()).map_err(|e| self.wrong(text, e.text))
        };
        let (open, close) = match messages.split_once("..") {
            Some((open, close)) => (condition(open)?, Some(condition(close)?)),
            None => (condition(messages)?, None),
        };
        let keys = self.keys(right)?;
        let name = format!("{messages} => {}", keys.join(", "));
        let rule = BracketRule {
            source_kinds: Vec::new(),
            is_of_any_system: true,
            open,
            close,
            absorbs_openings: false,
            derived_keys: keys,
            condition: None,
            duplicates: Among::All,
            instance_start: None,
        };
        Ok((JoinRule::Bracket(rule), name))
    }
}

/// Records of the sources with a tag or a path, or the last part of a path.
pub fn records_of_source(name: &str) -> Expr {
    let mut end = String::from("/");
    for c in name.chars() {
        // As `regex::escape`, whose crate is not for joins.
        if !c.is_alphanumeric() && c != '_' && !c.is_whitespace() {
            end.push('\\');
        }
        end.push(c);
    }
    end.push('$');
    Expr::any_of([
        Expr::compare(Field::Source, Op::Eq, name),
        Expr::compare(Field::Source, Op::Match, end),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_join_whose_name_gives_the_line() {
        let lines = [
            (
                TypedJoin::Constant,
                "mysim.site=north",
                "mysim.site = north",
            ),
            (
                TypedJoin::Constant,
                "site = \"a @ b\"@w/0/1",
                "site = \"a @ b\" @ w/0/1",
            ),
            (
                TypedJoin::Constant,
                "at={host}:{pid} @ w",
                "at = {host}:{pid} @ w",
            ),
            (TypedJoin::Rename, "item=mysim.job", "item = mysim.job"),
            (
                TypedJoin::Rename,
                "`odd key` = mysim.job",
                "`odd key` = mysim.job",
            ),
            (TypedJoin::Imply, "a,b ⇒ c", "a, b => c"),
            (
                TypedJoin::Bracket,
                "\"begin\" .. \"end\" => a,b",
                "\"begin\" .. \"end\" => a, b",
            ),
            (
                TypedJoin::Bracket,
                "template = begin => a",
                "template = begin => a",
            ),
        ];
        for (kind, typed, line) in lines {
            let join = kind.parse(typed).expect(typed);
            assert_eq!(join.name, format!("{} {line}", kind.name()));
            assert_eq!(TypedJoin::of(&join), Some((kind, line)));
        }
        for kind in TypedJoin::ALL {
            assert!(kind.parse(kind.example()).is_ok(), "{}", kind.example());
        }
    }

    #[test]
    fn a_wrong_line_has_the_place_of_its_problem() {
        let wrong = [
            (TypedJoin::Constant, "site", 4),
            (TypedJoin::Constant, "site = north @", 14),
            (TypedJoin::Constant, "level = error", 0),
            (TypedJoin::Rename, "a = b c", 4),
            (TypedJoin::Imply, "a, b", 4),
            (TypedJoin::Imply, "b => a, b", 5),
            (TypedJoin::Imply, "a, => b", 7),
            (TypedJoin::Bracket, "\"begin => a", 0),
        ];
        for (kind, line, at) in wrong {
            assert_eq!(kind.parse(line).map_err(|e| e.at), Err(at), "{line}");
        }
    }
}
