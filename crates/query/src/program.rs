//! A query compiled for one snapshot: names resolved, values translated to codes, patterns compiled.

use widetui_core::ids::KeyId;
use widetui_core::level::Level;
use widetui_format::catalog::Shape;
use widetui_store::Snapshot;
use widetui_store::display_names;
use widetui_store::source::Source;
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

use crate::expr::{Comparison, Expr, Field, Op};
use crate::matcher::Matcher;
use crate::value::{CodeTest, ValueTest};

/// A test of one row.
#[derive(Debug)]
pub(super) enum Leaf {
    /// Constant result.
    Const(bool),
    /// Result by shape number: tests of the level or the template.
    Shape(Vec<bool>),
    /// Result by source number.
    Source(Vec<bool>),
    /// The row has a time.
    HasTime,
    /// Comparison of the row's time with times in UTC ns; holds if it holds for any of them.
    Time(Op, Vec<i64>),
    /// A test of the values of a key.
    Key(Box<KeyLeaf>),
    /// A test of the message.
    Text(TextLeaf),
}

impl Leaf {
    /// Relative cost of evaluation; cheap tests are evaluated first.
    fn cost(&self) -> u32 {
        match self {
            Leaf::Const(_) => 0,
            Leaf::Source(_) => 1,
            Leaf::Shape(_) => 2,
            Leaf::HasTime | Leaf::Time(..) => 3,
            Leaf::Key(_) => 4,
            Leaf::Text(_) => 100,
        }
    }
}

/// A test of the values of a key, precomputed for shapes, contexts and sources.
#[derive(Debug)]
pub(super) struct KeyLeaf {
    pub(crate) key: KeyId,
    pub(crate) test: CodeTest,
    /// [`state`](crate::value::state) by shape number, from the constants of the shape.
    pub(crate) shapes: Vec<u8>,
    /// State by context number; empty if no context has the key.
    pub(crate) contexts: Vec<u8>,
    /// State by source number, from the keys in the path.
    pub(crate) sources: Vec<u8>,
}

/// A test of the message.
#[derive(Debug)]
pub(super) struct TextLeaf {
    pub(crate) matchers: Vec<Matcher>,
    /// By shape number: the literal parts of the template alone satisfy the test.
    pub(crate) certain: Vec<bool>,
    /// By shape number: no one-line record matches, according to the literal parts alone.
    pub(crate) never: Vec<bool>,
    /// Whether some messages are composed from the fields of their record, so that the raw bytes do not contain them
    /// contiguously.
    pub(crate) composed: bool,
}

impl TextLeaf {
    pub(crate) fn new(snapshot: &Snapshot, matchers: Vec<Matcher>) -> TextLeaf {
        let certain = |shape: &Shape| {
            let hit = |m: &Matcher| shape.literals.iter().any(|l| m.certain_in(l));
            matchers.iter().any(hit)
        };
        let never = |shape: &Shape| {
            let no_hit = |m: &Matcher| m.never_between(&shape.literals);
            !shape.open && matchers.iter().all(no_hit)
        };
        TextLeaf {
            certain: by_shape(snapshot, certain),
            never: by_shape(snapshot, never),
            // A structured record without a message field has no literals in its shape.
            composed: snapshot
                .catalog
                .shapes
                .iter()
                .any(|s| s.literals.iter().all(|l| l.is_empty())),
            matchers,
        }
    }

    pub(crate) fn is_in(&self, message: &str) -> bool {
        self.matchers.iter().any(|m| m.is_in(message))
    }
}

/// Boolean structure; leaves are indices into [`Program::leaves`].
#[derive(Debug)]
pub(super) enum Node {
    Leaf(usize),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

/// A tree of `and`, `or` and `not` over tests of the records of one snapshot.
#[derive(Debug)]
pub(super) struct Program {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) root: Node,
}

fn by_shape(snapshot: &Snapshot, f: impl Fn(&Shape) -> bool) -> Vec<bool> {
    snapshot.catalog.shapes.iter().map(|s| f(s)).collect()
}

fn by_source(snapshot: &Snapshot, f: impl Fn(&Source) -> bool) -> Vec<bool> {
    snapshot.sources.iter().map(|s| f(s)).collect()
}

impl KeyLeaf {
    pub(crate) fn new(snapshot: &Snapshot, key: KeyId, test: Option<ValueTest>) -> Option<KeyLeaf> {
        let catalog = &snapshot.catalog;
        let test = CodeTest::new(test, catalog.keys.get(key)?);
        let state = |values: &[(KeyId, u32)]| {
            let own = values.iter().filter(|(k, _)| *k == key);
            own.fold(0, |state, (_, code)| state | test.state(*code))
        };
        let mut contexts: Vec<u8> = match catalog.context_keys.contains(&key) {
            true => catalog.contexts.iter().map(|c| state(c)).collect(),
            false => Vec::new(),
        };
        if contexts.iter().all(|s| *s == 0) {
            contexts.clear();
        }
        Some(KeyLeaf {
            key,
            shapes: catalog.shapes.iter().map(|s| state(&s.consts)).collect(),
            contexts,
            sources: snapshot.sources.iter().map(|s| state(&s.consts)).collect(),
            test,
        })
    }
}

/// Returns the key with this full name; `log.time` is a log's own field `time`.
pub fn resolve(keys: &widetui_format::catalog::keys::KeysView, name: &str) -> Option<KeyId> {
    keys.find(name)
        .or_else(|| keys.find(name.strip_prefix("log.")?))
}

impl Program {
    pub(crate) fn new(snapshot: &Snapshot, expr: &Expr) -> Program {
        let mut program = Program {
            leaves: Vec::new(),
            root: Node::Leaf(0),
        };
        program.root = program.node(snapshot, expr);
        program
    }

    fn leaf(&mut self, leaf: Leaf) -> Node {
        self.leaves.push(leaf);
        Node::Leaf(self.leaves.len() - 1)
    }

    fn node(&mut self, snapshot: &Snapshot, expr: &Expr) -> Node {
        match expr {
            Expr::All => self.leaf(Leaf::Const(true)),
            Expr::And(parts) => Node::And(self.nodes(snapshot, parts)),
            Expr::Or(parts) => Node::Or(self.nodes(snapshot, parts)),
            Expr::Not(inner) => Node::Not(Box::new(self.node(snapshot, inner))),
            Expr::Has(field) => {
                let leaf = has(snapshot, field);
                self.leaf(leaf)
            }
            Expr::Text(needle) => {
                let matchers = Matcher::word(needle).into_iter().collect();
                self.leaf(Leaf::Text(TextLeaf::new(snapshot, matchers)))
            }
            Expr::Compare(c) => match c.op.negates() {
                None => {
                    let leaf = positive(snapshot, c, c.op);
                    self.leaf(leaf)
                }
                Some(op) => {
                    let leaf = has(snapshot, &c.field);
                    let has = self.leaf(leaf);
                    let leaf = positive(snapshot, c, op);
                    let equals = self.leaf(leaf);
                    Node::And(vec![has, Node::Not(Box::new(equals))])
                }
            },
        }
    }

    /// Returns a message test that every match of the query must pass, and its leaf number.
    pub(crate) fn required_text(&self) -> Option<(usize, &TextLeaf)> {
        let direct = |node: &Node| match node {
            Node::Leaf(at) => match &self.leaves[*at] {
                Leaf::Text(text) => Some((*at, text)),
                _ => None,
            },
            _ => None,
        };
        match &self.root {
            Node::And(parts) => parts.iter().find_map(direct),
            root => direct(root),
        }
    }

    /// Compiles the operands of `and` or `or`, cheapest first.
    fn nodes(&mut self, snapshot: &Snapshot, parts: &[Expr]) -> Vec<Node> {
        let mut nodes: Vec<Node> = parts.iter().map(|p| self.node(snapshot, p)).collect();
        nodes.sort_by_key(|n| self.cost(n));
        nodes
    }

    fn cost(&self, node: &Node) -> u32 {
        match node {
            Node::Leaf(leaf) => self.leaves[*leaf].cost(),
            Node::Not(inner) => self.cost(inner),
            Node::And(parts) | Node::Or(parts) => parts.iter().map(|n| self.cost(n)).sum(),
        }
    }
}

fn has(snapshot: &Snapshot, field: &Field) -> Leaf {
    match field {
        Field::Time => Leaf::HasTime,
        Field::Level => Leaf::Shape(by_shape(snapshot, |s| s.level != Level::Unknown)),
        Field::Source | Field::Message | Field::Template => Leaf::Const(true),
        Field::Key(name) => key_leaf(snapshot, name, |_| None),
    }
}

fn key_leaf(
    snapshot: &Snapshot,
    name: &str,
    test: impl FnOnce(widetui_definition::key_type::KeyType) -> Option<ValueTest>,
) -> Leaf {
    let keys = &snapshot.catalog.keys;
    resolve(keys, name)
        .and_then(|id| KeyLeaf::new(snapshot, id, test(keys.get(id)?.key.kind)))
        .map_or(Leaf::Const(false), |leaf| Leaf::Key(Box::new(leaf)))
}

/// Compiles a comparison with a positive operator.
fn positive(snapshot: &Snapshot, c: &Comparison, op: Op) -> Leaf {
    let is_match = op == Op::Match;
    let pattern = || {
        let first = c.values.first().filter(|_| is_match)?;
        Matcher::pattern(first).ok()
    };
    match &c.field {
        Field::Time => {
            let times = c.values.iter();
            let times = times.filter_map(|v| parse_literal(v, 0, &Zone::Utc).ok());
            Leaf::Time(op, times.collect())
        }
        Field::Level => Leaf::Shape(level_leaf(snapshot, c, op, pattern())),
        Field::Source => {
            let matcher = pattern();
            let hit = |text: &str| match &matcher {
                Some(m) if is_match => m.is_in(text),
                _ => !is_match && c.values.iter().any(|v| v == text),
            };
            // Sources can also be queried by the short names shown on screen.
            let names = display_names::display_names(&snapshot.sources);
            let is_called = |s: &Source| names.get(s.id.index()).is_some_and(|n| hit(n));
            Leaf::Source(by_source(snapshot, |s| {
                hit(&s.tag) || hit(&s.path) || is_called(s)
            }))
        }
        Field::Template => {
            let catalog = &snapshot.catalog;
            let matcher = pattern();
            let templates = catalog.templates.iter().map(|t| match &matcher {
                Some(m) if is_match => m.is_in(&t.text),
                _ => {
                    !is_match
                        && c.values
                            .iter()
                            .any(|v| **v == *t.text || hash_of(v) == Some(t.hash))
                }
            });
            let templates: Vec<bool> = templates.collect();
            Leaf::Shape(by_shape(snapshot, |s| {
                templates.get(s.template.index()) == Some(&true)
            }))
        }
        Field::Message => {
            let matchers = if is_match {
                pattern().into_iter().collect()
            } else {
                c.values
                    .iter()
                    .filter_map(|v| Matcher::exactly(v))
                    .collect()
            };
            Leaf::Text(TextLeaf::new(snapshot, matchers))
        }
        Field::Key(name) => key_leaf(snapshot, name, |kind| {
            Some(ValueTest::new(kind, op, &c.values))
        }),
    }
}

fn level_leaf(snapshot: &Snapshot, c: &Comparison, op: Op, matcher: Option<Matcher>) -> Vec<bool> {
    let wanted: Vec<Level> = c
        .values
        .iter()
        .filter_map(|v| Level::parse(v.as_bytes()))
        .collect();
    by_shape(snapshot, |s| {
        let level = s.level;
        level != Level::Unknown
            && match op {
                Op::Match => matcher.as_ref().is_some_and(|m| m.is_in(level.name())),
                op => wanted.iter().any(|w| match op {
                    Op::Lt => level < *w,
                    Op::Le => level <= *w,
                    Op::Gt => level > *w,
                    Op::Ge => level >= *w,
                    _ => level == *w,
                }),
            }
    })
}

/// Spells the hash of a template for queries: 16 hexadecimal digits.
#[must_use]
pub fn template_hash(hash: u64) -> String {
    format!("{hash:016x}")
}

fn hash_of(text: &str) -> Option<u64> {
    (text.len() == 16)
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
}
