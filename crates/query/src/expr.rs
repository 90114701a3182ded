//! Expressions as a tree, and their canonical spelling.

use std::fmt;

/// What a comparison is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The time of the event.
    Time,
    /// Its severity.
    Level,
    /// Tag or path of its source.
    Source,
    /// Its message, all lines.
    Message,
    /// The text or the hash of its template.
    Template,
    /// A key. A log's own field that is called like one of the above has `log.` in front.
    Key(String),
}

/// The names of the pseudo-keys.
pub const PSEUDO: [&str; 5] = ["time", "level", "source", "message", "template"];

impl Field {
    /// The field that a bare name means.
    #[must_use]
    pub fn named(name: &str) -> Field {
        match name {
            "time" => Field::Time,
            "level" => Field::Level,
            "source" => Field::Source,
            "message" => Field::Message,
            "template" => Field::Template,
            other => Field::Key(other.to_owned()),
        }
    }

    /// The field of a key, whatever it is called.
    #[must_use]
    pub fn key(name: &str) -> Field {
        if PSEUDO.contains(&name) {
            Field::Key(format!("log.{name}"))
        } else {
            Field::Key(name.to_owned())
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Field::Time => "time",
            Field::Level => "level",
            Field::Source => "source",
            Field::Message => "message",
            Field::Template => "template",
            Field::Key(name) => name,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Key(name) if !is_plain_name(name) => {
                write!(f, "`{}`", name.replace('`', "``"))
            }
            other => f.write_str(other.name()),
        }
    }
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Some value equals.
    Eq,
    /// Has the key, and no value equals.
    Ne,
    /// Some value is less.
    Lt,
    /// Some value is less or equal.
    Le,
    /// Some value is greater.
    Gt,
    /// Some value is greater or equal.
    Ge,
    /// A regular expression is found in some value as it is spelled.
    Match,
    /// Has the key, and the regular expression is found in no value.
    NoMatch,
    /// Some value equals one of the list.
    In,
    /// Has the key, and no value equals one of the list.
    NotIn,
}

impl Op {
    /// All operators in the order in which they are offered.
    pub(crate) const ALL: [Op; 10] = [
        Op::Eq,
        Op::Ne,
        Op::Match,
        Op::NoMatch,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::In,
        Op::NotIn,
    ];

    /// Its spelling.
    #[must_use]
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Match => "~",
            Op::NoMatch => "!~",
            Op::In => "in",
            Op::NotIn => "not in",
        }
    }

    /// For an operator that says "has the key, and not ...", the operator it denies.
    #[must_use]
    pub(crate) fn denies(self) -> Option<Op> {
        match self {
            Op::Ne => Some(Op::Eq),
            Op::NoMatch => Some(Op::Match),
            Op::NotIn => Some(Op::In),
            _ => None,
        }
    }

    /// Whether its right side is a list.
    #[must_use]
    pub(crate) fn takes_list(self) -> bool {
        matches!(self, Op::In | Op::NotIn)
    }

    /// Whether it asks for an order (`<` and its like).
    #[must_use]
    pub(crate) fn is_order(self) -> bool {
        matches!(self, Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }
}

/// `field op value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// What is compared.
    pub field: Field,
    /// How.
    pub op: Op,
    /// With what: one value, or one and more for a list. Times are in RFC 3339, levels in their usual names.
    pub values: Vec<String>,
}

/// A query. Make it with `parse` or with the functions here, which keep it in its simplest form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Expr {
    /// Every event.
    #[default]
    All,
    /// All of two or more.
    And(Vec<Expr>),
    /// Any of two or more.
    Or(Vec<Expr>),
    /// Not this.
    Not(Box<Expr>),
    /// Has a value for this.
    Has(Field),
    /// A comparison.
    Compare(Comparison),
    /// The message contains this text; a text without capitals ignores case.
    Text(String),
}

impl Expr {
    /// The keys that it asks about, as they are spelled in it.
    pub fn keys(&self) -> Vec<&str> {
        fn of(field: &Field) -> Vec<&str> {
            match field {
                Field::Key(key) => vec![key],
                _ => Vec::new(),
            }
        }
        match self {
            Expr::All | Expr::Text(_) => Vec::new(),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().flat_map(Expr::keys).collect(),
            Expr::Not(part) => part.keys(),
            Expr::Has(field) => of(field),
            Expr::Compare(comparison) => of(&comparison.field),
        }
    }

    /// `field = value`.
    #[must_use]
    pub fn equals(field: Field, value: impl Into<String>) -> Expr {
        Expr::compare(field, Op::Eq, value)
    }

    /// `field op value`.
    #[must_use]
    pub fn compare(field: Field, op: Op, value: impl Into<String>) -> Expr {
        Expr::Compare(Comparison {
            field,
            op,
            values: vec![value.into()],
        })
    }

    /// All of these.
    #[must_use]
    pub fn all_of(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut list = Vec::new();
        for part in parts {
            match part {
                Expr::All => {}
                Expr::And(inner) => list.extend(inner),
                other => list.push(other),
            }
        }
        match list.len() {
            0 => Expr::All,
            1 => list.swap_remove(0),
            _ => Expr::And(list),
        }
    }

    /// Any of these; of none, every event.
    #[must_use]
    pub fn any_of(parts: impl IntoIterator<Item = Expr>) -> Expr {
        let mut list = Vec::new();
        for part in parts {
            match part {
                Expr::All => return Expr::All,
                Expr::Or(inner) => list.extend(inner),
                other => list.push(other),
            }
        }
        match list.len() {
            0 => Expr::All,
            1 => list.swap_remove(0),
            _ => Expr::Or(list),
        }
    }

    /// Whether every event matches.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Expr::All
    }

    /// Writes a part of an expression, in parentheses where it would be read as something else.
    fn inside(&self, f: &mut fmt::Formatter<'_>, of: Within) -> fmt::Result {
        match self {
            Expr::Or(_) => write!(f, "({self})"),
            Expr::And(_) if of == Within::And => write!(f, "({self})"),
            other => write!(f, "{other}"),
        }
    }
}

/// What a part stands in; `not` binds as `and` does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    And,
    Or,
}

impl std::ops::Not for Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }
}

impl fmt::Display for Expr {
    /// The canonical spelling: `parse` gives the same expression again. Every event is `()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::All => f.write_str("()"),
            Expr::And(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i > 0 { " and " } else { "" })?;
                    part.inside(f, Within::And)?;
                }
                Ok(())
            }
            Expr::Or(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i > 0 { " or " } else { "" })?;
                    // Binds weaker than `and`, so only an `or` needs parentheses.
                    part.inside(f, Within::Or)?;
                }
                Ok(())
            }
            Expr::Not(inner) => {
                f.write_str("not ")?;
                inner.inside(f, Within::And)
            }
            Expr::Has(field) => write!(f, "has {field}"),
            Expr::Compare(c) if c.op.takes_list() => {
                write!(f, "{} {} (", c.field, c.op.sign())?;
                for (i, value) in c.values.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    f.write_str(&spell(value))?;
                }
                f.write_str(")")
            }
            Expr::Compare(c) => {
                let value = c.values.first().map_or("", String::as_str);
                let spelled = match c.op {
                    Op::Match | Op::NoMatch => spell_pattern(value),
                    _ => spell(value),
                };
                write!(f, "{} {} {spelled}", c.field, c.op.sign())
            }
            Expr::Text(text) => f.write_str(&spell(text)),
        }
    }
}

/// Words that mean something else than themselves.
const KEYWORDS: [&str; 5] = ["and", "or", "not", "in", "has"];

/// Whether a word is a keyword: small or capital letters, not mixed.
pub(super) fn keyword(word: &str) -> Option<&'static str> {
    KEYWORDS
        .into_iter()
        .find(|k| *k == word || (word.len() == k.len() && word == k.to_uppercase()))
}

fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ':' | '@');
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(plain)
        && keyword(name).is_none()
        && !PSEUDO.contains(&name)
}

/// A pattern as it can stand in a query: as other values, but between slashes there would be another one.
#[must_use]
pub(crate) fn spell_pattern(pattern: &str) -> String {
    match pattern.starts_with('/') {
        true => quoted(pattern),
        false => spell(pattern),
    }
}

/// A value or a searched text as it can stand in a query: bare where that is safe, else quoted.
#[must_use]
pub(crate) fn spell(text: &str) -> String {
    let safe = |c: char| {
        c.is_alphanumeric()
            || matches!(
                c,
                '_' | '-' | '.' | '/' | ':' | '@' | '+' | '%' | '#' | '$' | '*'
            )
    };
    if !text.is_empty() && text.chars().all(safe) && keyword(text).is_none() {
        return text.to_owned();
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}
