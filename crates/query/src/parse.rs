//! Parser of expressions.
//!
//! ```text
//! or     = and { "or" and }
//! and    = not { ["and"] not }
//! not    = "not" not | term
//! term   = "(" [or] ")" | "has" key | key op value | key ["not"] "in" "(" value { "," value } ")" | word | "text"
//! ```

use crate::error::QueryError;
use crate::expr::{Comparison, Expr, Field, Op, keyword};
use crate::lex::{Scanner, Unclosed, ValueIn};
use widetui_format::catalog::keys::KeysView;
use widetui_time::zone::Zone;

/// How times without a date or zone are interpreted.
#[derive(Clone, Debug)]
pub struct TimeContext {
    /// An instant on the day to which a bare time of day belongs, UTC ns.
    pub base_date_ns: i64,
    /// Zone of times without an offset.
    pub zone: Zone,
}

impl Default for TimeContext {
    fn default() -> Self {
        TimeContext {
            base_date_ns: 0,
            zone: Zone::Utc,
        }
    }
}

/// Maximum nesting of parentheses and `not`, which bounds the parser's recursion.
const MAX_DEPTH: usize = 200;

/// Grammatical slot at the end of a text, which decides the completions offered there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletionSlot {
    /// Start of a term: a key, a word, `not`, ...
    Term,
    /// Start of a term after a complete one, where `and` and `or` can stand too.
    Next,
    /// A key after `has`.
    Key,
    /// An operator after this word.
    Operator(String),
    /// A value of this field.
    Value(Field, Op),
    /// After a complete term.
    Link,
}

/// Parses an expression; an empty text is [`Expr::All`]. If `keys` is given, a comparison with a key that no record has
/// is an error that names the nearest key.
///
/// # Errors
/// The problem, its position and a suggestion.
pub fn parse(text: &str, keys: Option<&KeysView>, time: &TimeContext) -> Result<Expr, QueryError> {
    parse_with_notes(text, keys, time).map(|(expr, _)| expr)
}

/// Parses as [`parse`], and also returns a clause for each short key name that was expanded, for display.
///
/// # Errors
/// As [`parse`].
pub fn parse_with_notes(
    text: &str,
    keys: Option<&KeysView>,
    time: &TimeContext,
) -> Result<(Expr, Vec<String>), QueryError> {
    let mut parser = Parser::new(text, keys, time);
    Ok((parser.whole()?, parser.notes))
}

/// Returns the slot at the end of `text`, and the byte where the partial word begins. Syntax errors are ignored as far
/// as the slot is known.
pub(super) fn slot_at_end(text: &str) -> (CompletionSlot, usize) {
    let time = TimeContext::default();
    let mut parser = Parser::new(text, None, &time);
    let _ = parser.whole();
    parser.slot
}

pub(super) struct Parser<'t> {
    pub(crate) scan: Scanner<'t>,
    pub(crate) keys: Option<&'t KeysView>,
    pub(crate) time: &'t TimeContext,
    /// Explanations of short key names that were expanded.
    pub(crate) notes: Vec<String>,
    slot: (CompletionSlot, usize),
    depth: usize,
}

pub(super) type Parsed<T> = Result<T, QueryError>;

impl<'t> Parser<'t> {
    fn new(text: &'t str, keys: Option<&'t KeysView>, time: &'t TimeContext) -> Self {
        Parser {
            scan: Scanner { text, pos: 0 },
            keys,
            time,
            notes: Vec::new(),
            slot: (CompletionSlot::Term, 0),
            depth: 0,
        }
    }

    pub(crate) fn error(&self, text: impl Into<String>, at: usize, len: usize) -> QueryError {
        QueryError {
            text: text.into(),
            query: self.scan.text.to_owned(),
            at,
            len,
            suggestion: None,
        }
    }

    /// Records the slot at the current position.
    pub(crate) fn expect(&mut self, slot: CompletionSlot) {
        self.scan.blanks();
        self.slot = (slot, self.scan.pos);
    }

    fn whole(&mut self) -> Parsed<Expr> {
        self.expect(CompletionSlot::Term);
        if self.scan.at_end() {
            return Ok(Expr::All);
        }
        let expr = self.or()?;
        if self.scan.at_end() {
            return Ok(expr);
        }
        Err(self.error("unmatched closing parenthesis", self.scan.pos, 1))
    }

    /// Consumes a keyword if it comes next.
    fn keyword(&mut self, name: &str) -> bool {
        self.scan.blanks();
        let word = self.scan.word();
        let found = keyword(word) == Some(name);
        if found {
            self.scan.pos += word.len();
        }
        found
    }

    fn or(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.and()?];
        while self.keyword("or") {
            parts.push(self.and()?);
        }
        Ok(Expr::any_of(parts))
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.not()?];
        loop {
            let blank = self.scan.rest().starts_with(char::is_whitespace);
            self.scan.blanks();
            // After a word that may be a key, an operator is still possible.
            let operator =
                matches!(self.slot, (CompletionSlot::Operator(_), at) if at == self.scan.pos);
            if blank && !operator {
                self.expect(CompletionSlot::Link);
            }
            let explicit = self.keyword("and");
            let next = self.scan.peek();
            if !explicit
                && (next.is_none_or(|c| c == ')') || keyword(self.scan.word()) == Some("or"))
            {
                return Ok(Expr::all_of(parts));
            }
            if explicit {
                parts.push(self.not()?);
            } else {
                self.expect(CompletionSlot::Next);
                parts.push(self.operand()?);
            }
        }
    }

    fn not(&mut self) -> Parsed<Expr> {
        self.expect(CompletionSlot::Term);
        self.operand()
    }

    fn operand(&mut self) -> Parsed<Expr> {
        if self.keyword("not") {
            let inner = self.deeper(Self::not)?;
            return Ok(Expr::Not(Box::new(inner)));
        }
        self.term()
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("the expression is nested too deeply", self.scan.pos, 0));
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn term(&mut self) -> Parsed<Expr> {
        let start = self.scan.pos;
        let Some(first) = self.scan.peek() else {
            return Err(self.error("a condition is missing here", start, 0));
        };
        match first {
            '(' => {
                self.scan.pos += 1;
                self.expect(CompletionSlot::Term);
                if self.scan.take(")") {
                    return Ok(Expr::All);
                }
                let inner = self.deeper(Self::or)?;
                if !self.scan.take(")") {
                    return Err(self.error("this parenthesis is not closed", start, 1));
                }
                Ok(inner)
            }
            ')' => Err(self.error("a condition is missing before this", start, 1)),
            '"' | '\'' => {
                let text = self.scan.quoted().map_err(|u| self.unclosed(u))?;
                let len = self.scan.pos - start;
                self.scan.blanks();
                if self.scan.sign().is_some() {
                    return Err(self.error("put key names in backticks: `name`", start, len));
                }
                Ok(Expr::Text(text))
            }
            '`' => {
                let name = self.scan.backticked().map_err(|u| self.unclosed(u))?;
                let end = self.scan.pos;
                match self.comparison(&Field::key(&name), start, end)? {
                    Some(expr) => Ok(expr),
                    None => Err(self.error("an operator is missing here", end, 0)),
                }
            }
            _ => self.word_term(start),
        }
    }

    fn word_term(&mut self, start: usize) -> Parsed<Expr> {
        let word = self.scan.word();
        self.scan.pos += word.len();
        match keyword(word).filter(|k| *k != "in") {
            Some("has") => {
                self.expect(CompletionSlot::Key);
                return self.has();
            }
            Some(other) => {
                let text = format!("a condition is missing before `{other}`");
                return Err(self.error(text, start, word.len()));
            }
            // `in` is a keyword only before a list.
            None => {}
        }
        if word.is_empty() {
            let at = self.scan.pos;
            self.scan.sign();
            let len = (self.scan.pos - at).max(1);
            return Err(self.error("a key is missing before this", at, len));
        }
        if word == "!" {
            let text = "`!` is not an operator: use `!=` or `!~`, or `not` to negate a condition";
            return Err(self.error(text, start, 1));
        }
        let end = self.scan.pos;
        match self.comparison(&Field::named(word), start, end)? {
            Some(expr) => Ok(expr),
            None => {
                self.scan.pos = end;
                Ok(Expr::Text(word.to_owned()))
            }
        }
    }

    fn has(&mut self) -> Parsed<Expr> {
        let start = self.scan.pos;
        let field = if self.scan.peek() == Some('`') {
            let name = self.scan.backticked().map_err(|u| self.unclosed(u))?;
            Field::key(&name)
        } else {
            let word = self.scan.word();
            if word.is_empty() {
                return Err(self.error("a key name is missing after `has`", start, 0));
            }
            self.scan.pos += word.len();
            Field::named(word)
        };
        let field = self.resolved(&field, start, self.scan.pos)?;
        Ok(Expr::Has(field))
    }

    /// Parses an operator and its value after a field; `None` if no operator follows.
    fn comparison(&mut self, field: &Field, start: usize, end: usize) -> Parsed<Option<Expr>> {
        if self.scan.rest().starts_with(char::is_whitespace) {
            self.expect(CompletionSlot::Operator(field.name().to_owned()));
        }
        self.scan.blanks();
        let at = self.scan.pos;
        let Some(op) = self.operator() else {
            return Ok(None);
        };
        let field = &self.resolved(field, start, end)?;
        let sign_len = self.scan.pos - at;
        if op.is_order() && !matches!(field, Field::Time | Field::Level | Field::Key(_)) {
            let text = format!("a {} cannot be compared with `{}`", field.name(), op.sign());
            return Err(self.error(text, at, sign_len));
        }
        if *field == Field::Time && matches!(op, Op::Match | Op::NoMatch) {
            let text = "times can be compared with = != < <= > >=, not with a pattern";
            return Err(self.error(text, at, sign_len));
        }
        let values = if op.takes_list() {
            self.list(field, op)?
        } else {
            vec![self.value(field, op, ValueIn::Comparison)?]
        };
        Ok(Some(Expr::Compare(Comparison {
            field: field.clone(),
            op,
            values,
        })))
    }

    fn operator(&mut self) -> Option<Op> {
        if let Some(op) = self.scan.sign() {
            return Some(op);
        }
        let start = self.scan.pos;
        let denied = self.keyword("not");
        if self.keyword("in") {
            self.scan.blanks();
            if self.scan.peek() == Some('(') {
                return Some(if denied { Op::NotIn } else { Op::In });
            }
        }
        self.scan.pos = start;
        None
    }

    pub(crate) fn unclosed(&self, open: Unclosed) -> QueryError {
        self.error("this quote is not closed", open.0, 1)
    }
}
