//! A scope: the messages that apply to one kind of source, and what they say about a record.
//!
//! In `parsl.log` "task 7" is a task of the workflow, below an executor's directory it is the executor's: so patterns
//! belong to scopes, not to systems. A pattern is matched once per template; the plan that results is applied to
//! every later record of that template without matching anything.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use crate::base::dict::Code;
use crate::base::ids::{KeyId, ShapeId};
use crate::base::level::Level;

use super::catalog::{Catalog, Plan, Shape, ShapeKey, Site, Slot, UNKEPT};
use super::further::FurtherLine;
use super::keys::Key;
use super::leading;
use super::mined;
use super::pattern::{Element, FieldKind, Pattern, Spans, spellings};
use super::token::{self, Part};

/// One message of a definition, compiled.
#[derive(Clone, Debug)]
pub struct MessagePattern {
    /// The pattern over the first line of the message.
    pub pattern: Pattern,
    /// Key of each field; `None` for fields that are read over.
    pub keys: Vec<Option<Arc<Key>>>,
    /// Fields that give a second key, and how that key reads them.
    pub same: Vec<(usize, Arc<Key>, FieldKind)>,
    /// Keys with a constant value.
    pub consts: Vec<(KeyId, Code)>,
    /// Its level when the header says none.
    pub level: Option<Level>,
    /// What the lines that continue its records say.
    pub further: Vec<FurtherLine>,
}

impl MessagePattern {
    fn may_match(&self, msg: &[u8]) -> bool {
        match self.pattern.elements.first() {
            Some(Element::Literal(literal)) => msg.starts_with(literal),
            _ => true,
        }
    }

    /// The fields of a message and the key of each; those with two keys occur twice.
    pub fn fields<'a>(
        &'a self,
        spans: &'a Spans,
    ) -> impl Iterator<Item = (&'a FieldKind, Option<&'a Arc<Key>>, &'a Range<usize>)> {
        let keys = self.keys.iter().map(Option::as_ref);
        let first = self.pattern.fields.iter().zip(keys).zip(spans);
        let first = first.map(|((field, key), span)| (&field.kind, key, span));
        let again = self.same.iter();
        let again = again.filter_map(|(at, key, kind)| Some((kind, Some(key), spans.get(*at)?)));
        first.chain(again)
    }

    /// The constant keys that the record does not name itself.
    fn consts_beside(&self, fields: &[KeyId]) -> impl Iterator<Item = (KeyId, Code)> {
        self.consts
            .iter()
            .filter(|c| !fields.contains(&c.0))
            .copied()
    }
}

/// Whether keys are looked for in messages that no pattern fits: `tries=3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mining {
    /// They are.
    On,
    /// Such messages have no keys.
    Off,
}

/// The message patterns for one kind of source; which of them fits is asked once per template.
#[derive(Debug)]
pub struct Scope {
    /// Unique among the scopes of a run.
    pub id: u32,
    /// Whether keys are mined from messages that no pattern matches (sources without a definition).
    pub mine: bool,
    said: LazyLock<Said, Make>,
}

/// The messages of a scope.
#[derive(Debug)]
struct Said {
    /// The first that matches counts.
    messages: Vec<MessagePattern>,
    /// Those whose records go on with lines that say something.
    continued: Vec<usize>,
}

type Make = Box<dyn FnOnce() -> Said + Send>;

impl Default for Scope {
    fn default() -> Scope {
        Scope::new(0, Vec::new(), Mining::Off)
    }
}

/// More shapes than this in one scope mean that messages vary without bound: further ones are told apart by their
/// first word only.
const MANY_SHAPES: usize = 3000;
/// ... and beyond this not at all.
const TOO_MANY_SHAPES: usize = 4000;

impl Scope {
    /// A scope with these messages.
    pub fn new(id: u32, messages: Vec<MessagePattern>, mining: Mining) -> Scope {
        Scope::later(id, || messages, mining)
    }

    /// A scope whose messages are made when they are first needed: no record of most kinds that a source could be of is
    /// ever looked at.
    pub fn later(
        id: u32,
        messages: impl FnOnce() -> Vec<MessagePattern> + Send + 'static,
        mining: Mining,
    ) -> Scope {
        let said = || {
            let messages = messages();
            let all = messages.iter().enumerate();
            let continued = all.filter(|(_, m)| !m.further.is_empty());
            Said {
                continued: continued.map(|(at, _)| at).collect(),
                messages,
            }
        };
        Scope {
            id,
            mine: mining == Mining::On,
            said: LazyLock::new(Box::new(said)),
        }
    }

    /// Messages, the first that matches counts.
    pub fn messages(&self) -> &[MessagePattern] {
        &self.said.messages
    }

    /// What the lines that continue a record with this message may say.
    #[inline]
    pub fn further(&self, msg: &[u8], spans: &mut Spans) -> Option<&[FurtherLine]> {
        if self.said.continued.is_empty() {
            return None;
        }
        let fits = |at: &&usize| {
            let message = &self.messages()[**at];
            message.may_match(msg) && message.pattern.matches(msg, spans)
        };
        let at = *self.said.continued.iter().find(fits)?;
        (self.find(msg, spans) == Some(at)).then_some(&*self.messages()[at].further)
    }

    /// The first pattern that matches a message (one line), and where its fields lie.
    pub fn find(&self, msg: &[u8], spans: &mut Spans) -> Option<usize> {
        self.messages()
            .iter()
            .position(|m| m.may_match(msg) && m.pattern.matches(msg, spans))
    }

    /// The level that a message has when its header says none.
    pub fn level(&self, msg: &[u8]) -> Option<Level> {
        let leading = leading::level(msg).map(|found| found.0);
        if self.messages().iter().all(|m| m.level.is_none()) {
            return leading;
        }
        let found = self.find(msg, &mut Spans::new());
        found.and_then(|at| self.messages()[at].level).or(leading)
    }

    /// The keys that a message names, by matching patterns one by one: what the fast path must agree with.
    pub fn read(&self, msg: &[u8], tables: &Catalog) -> Vec<(Arc<Key>, Vec<String>)> {
        let mut spans = Spans::new();
        let mut out: Vec<(Arc<Key>, Vec<String>)> = Vec::new();
        if let Some(index) = self.find(msg, &mut spans) {
            let message = &self.messages()[index];
            for (id, code) in &message.consts {
                if let Some(key) = tables.keys.by_id(*id)
                    && let Some(text) = spelled(&key, *code)
                {
                    out.push((key, vec![text]));
                }
            }
            for (kind, key, span) in message.fields(&spans) {
                let Some(key) = key else { continue };
                let values = spellings(kind, &msg[span.clone()]);
                out.push((key.clone(), values));
            }
        } else if self.mine {
            mined::read(msg, tables, &mut out);
        }
        out
    }

    /// The shape of a message at a code site, made when new. `variables` are those of `token::tokenize`; they are changed
    /// when the message is generalised.
    pub fn shape(
        &self,
        tables: &Catalog,
        site: &Site,
        msg: &[u8],
        variables: &mut Vec<Part>,
        open: bool,
        named: Option<&str>,
    ) -> Arc<Shape> {
        let literals = token::literals(msg, variables);
        let key = self.shape_key(site, &literals, open, named);
        if let Some(shape) = tables.find_shape(&key) {
            return shape;
        }
        let count = tables.shapes_in(self.id);
        if count >= MANY_SHAPES {
            // Keep the level and the first word, if there is one and still room for it.
            let level = leading::level(msg).map_or(0, |found| found.1);
            let word = msg.iter().take_while(|b| b.is_ascii_alphabetic()).count();
            let is_room = count < TOO_MANY_SHAPES && word <= 24;
            let keep = level.max(if is_room { word } else { 0 });
            variables.clear();
            variables.push((keep as u32, msg.len() as u32));
            let literals = token::literals(msg, variables);
            let key = self.shape_key(site, &literals, true, None);
            let template = tables.template(&token::template(&literals));
            return tables.shape(key, |id| plain(id, template, site, literals, true));
        }
        let mut spans = Spans::new();
        let found = self.find(msg, &mut spans);
        if !open && self.depends_on_variables(found, msg, variables) {
            let template = tables.template("");
            return tables.shape(key, |id| Shape {
                plan: Plan::Search,
                ..plain(id, template, site, literals, open)
            });
        }
        if let Some(index) = found {
            let message = &self.messages()[index];
            let aligned = if open {
                None
            } else {
                plan(message, msg, variables, &spans)
            };
            let (plan, mut consts) = match aligned {
                Some((mut slots, mut consts)) => {
                    // What a record names itself counts; the message only repeats it.
                    slots
                        .iter_mut()
                        .filter(|s| site.fields.contains(&s.key))
                        .for_each(|s| s.key = UNKEPT);
                    consts.retain(|c| !site.fields.contains(&c.0));
                    (Plan::Slots(slots.into()), consts)
                }
                None => (Plan::Search, Vec::new()),
            };
            let template = tables.template(&message.pattern.template(msg, &spans));
            consts.extend(message.consts_beside(&site.fields));
            consts.extend(site.consts.iter().copied());
            return tables.shape(key, |id| Shape {
                id,
                template,
                level: level_of(site, message.level.or(leading::of(&literals))),
                consts: consts.into(),
                literals,
                open,
                plan,
                fields: site.fields.clone(),
            });
        }
        let text = named.map_or_else(|| token::template(&literals), str::to_owned);
        let (slots, mut consts) = if self.mine {
            mined::plan(tables, site, &literals, open)
        } else {
            (Vec::new(), Consts::new())
        };
        consts.extend(site.consts.iter().copied());
        let template = tables.template(&text);
        tables.shape(key, |id| Shape {
            plan: Plan::Slots(slots.into()),
            consts: consts.into(),
            ..plain(id, template, site, literals, open)
        })
    }

    /// Whether a message of the same skeleton with other variables may match another pattern than `found`: tried with
    /// variables of several kinds.
    fn depends_on_variables(&self, found: Option<usize>, msg: &[u8], variables: &[Part]) -> bool {
        let upto = found.unwrap_or(self.messages().len());
        let mut spans = Spans::new();
        let fixed = self.messages()[..upto]
            .iter()
            .flat_map(|m| numbers(&m.pattern));
        let kinds = [&b"7"[..], b"a7b", b"7.5", b"1, 2"].into_iter();
        kinds.chain(fixed).any(|sample| {
            let mut other = Vec::with_capacity(msg.len());
            let mut pos = 0;
            for (start, end) in variables {
                other.extend_from_slice(&msg[pos..*start as usize]);
                other.extend_from_slice(sample);
                pos = *end as usize;
            }
            other.extend_from_slice(&msg[pos..]);
            self.messages()[..upto]
                .iter()
                .any(|m| m.may_match(&other) && m.pattern.matches(&other, &mut spans))
        })
    }

    /// The shape of a record whose variables do not fit the plan of its usual shape: keyed by the pattern that `find` found
    /// for it, given with the spans of its fields.
    pub fn odd_shape(
        &self,
        tables: &Catalog,
        site: &Site,
        msg: &[u8],
        usual: &Shape,
        (found, spans): (Option<usize>, &Spans),
    ) -> Arc<Shape> {
        let (text, plan, consts, level) = match found {
            Some(index) => {
                let message = &self.messages()[index];
                let keys = message.fields(spans).filter_map(|f| Some(f.1?.id));
                let keys = keys.filter(|k| !site.fields.contains(k)).collect();
                (
                    message.pattern.template(msg, spans),
                    Plan::Match(keys),
                    message.consts_beside(&site.fields).collect(),
                    message.level,
                )
            }
            None => (
                token::template(&usual.literals),
                Plan::Match(Box::default()),
                Consts::new(),
                None,
            ),
        };
        let mark = format!("\u{1}{found:?}{text}");
        let key = self.shape_key(site, &usual.literals, usual.open, Some(&mark));
        if let Some(shape) = tables.find_shape(&key) {
            return shape;
        }
        let template = tables.template(&text);
        tables.shape(key, |id| Shape {
            plan,
            level: level_of(site, level.or(leading::of(&usual.literals))),
            consts: consts.iter().chain(&site.consts).copied().collect(),
            ..plain(id, template, site, usual.literals.clone(), usual.open)
        })
    }

    fn shape_key(
        &self,
        site: &Site,
        literals: &[Box<[u8]>],
        open: bool,
        named: Option<&str>,
    ) -> ShapeKey {
        // No two are spelled alike, whatever bytes a message holds: lengths come first, and no literal has a line end.
        let name = named.unwrap_or_default();
        let mut skeleton = vec![u8::from(open), u8::from(named.is_some())];
        skeleton.extend_from_slice(&(name.len() as u64).to_le_bytes());
        skeleton.extend_from_slice(name.as_bytes());
        skeleton.extend_from_slice(&literals.join(&b'\n'));
        ShapeKey {
            scope: self.id,
            site: site.id,
            skeleton: skeleton.into(),
        }
    }
}

/// What a header says of its level counts before what its message says.
fn level_of(site: &Site, message: Option<Level>) -> Level {
    match site.level {
        Level::Unknown => message.unwrap_or_default(),
        said => said,
    }
}

/// The numbers in the literal text of a pattern: `exit code 0` is not what `exit code {code}` is.
fn numbers(pattern: &Pattern) -> impl Iterator<Item = &[u8]> {
    let literals = pattern.elements.iter().filter_map(|e| match e {
        Element::Literal(text) => Some(&**text),
        Element::Field(_) => None,
    });
    literals
        .flat_map(|text| text.split(|b| !b.is_ascii_digit()))
        .filter(|digits| !digits.is_empty())
}

fn spelled(key: &Key, code: Code) -> Option<String> {
    if code < crate::base::dict::ENTRY {
        Some(code.to_string())
    } else {
        key.freeze().entry(code).map(str::to_owned)
    }
}

fn plain(
    id: ShapeId,
    template: crate::base::ids::TemplateId,
    site: &Site,
    literals: Box<[Box<[u8]>]>,
    open: bool,
) -> Shape {
    Shape {
        id,
        template,
        level: level_of(site, leading::of(&literals)),
        consts: site.consts.clone(),
        literals,
        open,
        plan: Plan::Slots(Box::default()),
        fields: site.fields.clone(),
    }
}

/// Keys with one value for all records of a shape.
pub(super) type Consts = Vec<(KeyId, Code)>;

/// Which variables hold the keys of a matched message, and the keys that are the same in all its records. `None` when
/// fields and variables do not line up, so that the pattern must be matched on every record.
fn plan(
    message: &MessagePattern,
    msg: &[u8],
    variables: &[Part],
    spans: &Spans,
) -> Option<(Vec<Slot>, Consts)> {
    // A literal that covers part of a variable may match elsewhere in another record.
    if !literals_avoid(&message.pattern, msg, variables, spans) {
        return None;
    }
    let mut slots = Vec::new();
    let mut consts = Vec::new();
    for (kind, key, span) in message.fields(spans) {
        let (start, end) = (span.start as u32, span.end as u32);
        let Some(variable) = variables.iter().position(|v| v.0 < end && start < v.1) else {
            match (key, kind) {
                (Some(_), kind) if kind.is_list() => return None,
                (Some(key), _) => consts.push((
                    key.id,
                    key.code(&String::from_utf8_lossy(&msg[span.clone()])),
                )),
                (None, _) => {}
            }
            continue;
        };
        let exact = variables[variable] == (start, end) && !kind.is_fixed();
        let covers = variables
            .iter()
            .all(|v| v.1 <= start || end <= v.0 || (start <= v.0 && v.1 <= end));
        let any = key.is_none() && matches!(kind, FieldKind::Text | FieldKind::Rest);
        if any && covers {
            continue;
        }
        if !exact {
            return None;
        }
        slots.push(Slot {
            key: key.as_ref().map_or(UNKEPT, |k| k.id),
            variable: variable as u16,
            kind: kind.clone(),
        });
    }
    Some((slots, consts))
}

/// Whether no literal of the pattern covers part of a variable, and none that ends a lazy field starts with a byte that
/// a variable may hold.
fn literals_avoid(pattern: &Pattern, msg: &[u8], variables: &[Part], spans: &Spans) -> bool {
    let mut pos = 0;
    let mut after_field = false;
    for element in &pattern.elements {
        match element {
            Element::Field(i) => {
                pos = spans[*i].end;
                after_field = true;
            }
            Element::Literal(bytes) => {
                let (start, end) = (pos as u32, (pos + bytes.len()) as u32);
                if variables.iter().any(|v| v.0 < end && start < v.1) {
                    return false;
                }
                if after_field && token::in_token(msg[pos]) {
                    return false;
                }
                pos += bytes.len();
                after_field = false;
            }
        }
    }
    true
}
