//! Expressions as a tree, and their canonical spelling.

use std::fmt;

/// Left side of a comparison: a property of every record, or a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Time of the record.
    Time,
    /// Severity of the record.
    Level,
    /// Tag or path of the record's source.
    Source,
    /// Message of the record, all lines.
    Message,
    /// Text or hash of the record's template.
    Template,
    /// A key. A log's own field with the name of one of the variants above is spelled with the prefix `log.`.
    Key(String),
}

/// Names of the fields that are no keys.
pub const PSEUDO: [&str; 5] = ["time", "level", "source", "message", "template"];

impl Field {
    /// Returns the field for a bare name: one of [`PSEUDO`], or else a key.
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

    /// Returns the field of a key; a key named like a pseudo-key gets the prefix `log.`.
    #[must_use]
    pub fn key(name: &str) -> Field {
        if PSEUDO.contains(&name) {
            Field::Key(format!("log.{name}"))
        } else {
            Field::Key(name.to_owned())
        }
    }

    /// Returns the name of the field.
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

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Any value equals the operand.
    Eq,
    /// The record has the key, and no value equals the operand.
    Ne,
    /// Any value is less than the operand.
    Lt,
    /// Any value is less than or equal to the operand.
    Le,
    /// Any value is greater than the operand.
    Gt,
    /// Any value is greater than or equal to the operand.
    Ge,
    /// The regular expression matches any value in its original spelling.
    Match,
    /// The record has the key, and the regular expression matches no value.
    NoMatch,
    /// Any value equals one of the listed operands.
    In,
    /// The record has the key, and no value equals a listed operand.
    NotIn,
}

impl Op {
    /// All operators, in the order in which completion offers them.
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

    /// Returns the operator as spelled in an expression.
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

    /// Returns the positive operator that `!=`, `!~` or `not in` negates; `None` for the others.
    #[must_use]
    pub(crate) fn negates(self) -> Option<Op> {
        match self {
            Op::Ne => Some(Op::Eq),
            Op::NoMatch => Some(Op::Match),
            Op::NotIn => Some(Op::In),
            _ => None,
        }
    }

    /// Whether the right side is a list in parentheses.
    #[must_use]
    pub(crate) fn takes_list(self) -> bool {
        matches!(self, Op::In | Op::NotIn)
    }

    /// Whether this is an ordering operator (`<`, `<=`, `>`, `>=`).
    #[must_use]
    pub(crate) fn is_order(self) -> bool {
        matches!(self, Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }
}

/// `field op value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// Left side.
    pub field: Field,
    /// Operator.
    pub op: Op,
    /// Right side: one value, or one or more for a list operator. Times are in RFC 3339, levels by their canonical
    /// names.
    pub values: Vec<String>,
}

/// A query. Built by [`parse`](crate::parse) or by the constructors here, which flatten nested `and` and `or`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Expr {
    /// Matches every record.
    #[default]
    All,
    /// Conjunction of two or more expressions.
    And(Vec<Expr>),
    /// Disjunction of two or more expressions.
    Or(Vec<Expr>),
    /// Negation.
    Not(Box<Expr>),
    /// The record has a value for the field.
    Has(Field),
    /// A comparison.
    Compare(Comparison),
    /// The message contains this text; a text without capital letters ignores case.
    Text(String),
}

impl Expr {
    /// Returns the names of all keys in the expression, as spelled there.
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

    /// Builds `field = value`.
    #[must_use]
    pub fn equals(field: Field, value: impl Into<String>) -> Expr {
        Expr::compare(field, Op::Eq, value)
    }

    /// Builds `field op value`.
    #[must_use]
    pub fn compare(field: Field, op: Op, value: impl Into<String>) -> Expr {
        Expr::Compare(Comparison {
            field,
            op,
            values: vec![value.into()],
        })
    }

    /// Builds the conjunction of `parts`; [`Expr::All`] if there are none.
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

    /// Builds the disjunction of `parts`; [`Expr::All`] if there are none.
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

    /// Whether this is [`Expr::All`].
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Expr::All
    }

    /// Writes an operand of `and`, `or` or `not`, in parentheses where precedence requires them.
    fn inside(&self, f: &mut fmt::Formatter<'_>, of: Within) -> fmt::Result {
        match self {
            Expr::Or(_) => write!(f, "({self})"),
            Expr::And(_) if of == Within::And => write!(f, "({self})"),
            other => write!(f, "{other}"),
        }
    }
}

/// Operator that encloses an operand; `not` has the precedence of `and`.
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
    /// Writes the canonical spelling, which [`parse`](crate::parse) reads back as an equal expression. [`Expr::All`] is
    /// written as `()`.
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
                    // `and` binds tighter than `or`, so only a nested `or` needs parentheses.
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

/// Reserved words of the expression language.
const KEYWORDS: [&str; 5] = ["and", "or", "not", "in", "has"];

/// Returns the keyword that a word spells, in all lower or all upper case (not mixed).
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

/// Spells a regular expression for a query: as [`spell`], but a pattern between slashes is quoted, because the parser
/// would take the slashes as delimiters.
#[must_use]
pub(crate) fn spell_pattern(pattern: &str) -> String {
    match pattern.starts_with('/') {
        true => quoted(pattern),
        false => spell(pattern),
    }
}

/// Spells a value or a searched text for a query: bare where the parser reads it back unchanged, else quoted.
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
