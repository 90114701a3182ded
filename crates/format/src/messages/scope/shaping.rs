//! Turns a message of a scope into a shape: the plan for reading all records of its template.

use std::sync::Arc;

use widetui_core::ids::{KeyId, ShapeId, TemplateId};
use widetui_core::level::Level;

use super::{MessagePattern, Scope};
use crate::catalog::cardinality::{self, Granularity};
use crate::catalog::{
    Catalog, Consts, NOT_STORED, Naming, Plan, Room, Shape, ShapeKey, Site, Slot,
};
use crate::messages::leading_level;
use crate::messages::mined_keys;
use crate::pattern::{Element, FieldKind, Pattern, Spans};
use crate::text::token::{self, Part};

/// Result of reading a single message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Matched<'a> {
    /// Index of the matching pattern, and the spans of its fields.
    Pattern(usize, &'a Spans),
    /// Keys that were mined, if no pattern matches.
    Mined(&'a [KeyId]),
}

impl Scope {
    /// Shape of a message at a code site; adds it if new. `variables` are those of `token::tokenize`.
    pub(crate) fn shape(
        &self,
        tables: &Catalog,
        site: &Site,
        (msg, variables, open): (&[u8], &[Part], bool),
        named: Option<&str>,
    ) -> Arc<Shape> {
        let literals = token::literals(msg, variables);
        let key = self.shape_key(site, &literals, open, named);
        if let Some(shape) = tables.find_shape(&key) {
            return shape;
        }
        let word = cardinality::first_word(&literals).to_vec();
        let granularity = tables.granularity(self.id, &word);
        if granularity != Granularity::ByText {
            return self.shared_shape(tables, site, granularity.kept_word(&word));
        }
        let (naming, shape) = self.own_shape(tables, site, (msg, variables, open), named);
        tables
            .own_shape(key, naming, |id| Shape { id, ..shape })
            .unwrap_or_else(|| {
                let granularity = tables.granularity(self.id, &word);
                self.shared_shape(tables, site, granularity.kept_word(&word))
            })
    }

    /// Shape of all messages with this first word; its records are searched one by one.
    fn shared_shape(&self, tables: &Catalog, site: &Site, word: &[u8]) -> Arc<Shape> {
        let literals: Box<[Box<[u8]>]> = Box::new([word.into(), Box::default()]);
        let key = self.shape_key(site, &literals, true, None);
        let template = tables.template("");
        tables.shape(key, |id| Shape {
            plan: Plan::Search,
            ..plain(id, template, site, literals, true)
        })
    }

    /// Shape (without an id) of a template of its own.
    fn own_shape(
        &self,
        tables: &Catalog,
        site: &Site,
        (msg, variables, open): (&[u8], &[Part], bool),
        named: Option<&str>,
    ) -> (Naming, Shape) {
        let literals = token::literals(msg, variables);
        let mut spans = Spans::new();
        let found = self.find(msg, &mut spans);
        let id = ShapeId(u32::MAX);
        if !open && self.depends_on_variables(found, msg, variables) {
            let shape = Shape {
                plan: Plan::Search,
                ..plain(id, tables.template(""), site, literals, open)
            };
            return (Naming::Pattern, shape);
        }
        if let Some(message) = found.and_then(|index| self.messages().get(index)) {
            let aligned = if open {
                None
            } else {
                plan(message, msg, variables, &spans)
            };
            let (plan, mut consts) = match aligned {
                Some((mut slots, mut consts)) => {
                    // Fields of the record take precedence; the message only repeats them.
                    slots
                        .iter_mut()
                        .filter(|s| site.fields.contains(&s.key))
                        .for_each(|s| s.key = NOT_STORED);
                    consts.retain(|c| !site.fields.contains(&c.0));
                    (Plan::Slots(slots.into()), consts)
                }
                None => (Plan::Search, Vec::new()),
            };
            consts.extend(message.consts_beside(&site.fields));
            consts.extend(site.consts.iter().copied());
            let template = tables.template(&message.pattern.template(msg, &spans));
            let shape = Shape {
                level: level_of(site, message.level.or(leading_level::of(&literals))),
                consts: consts.into(),
                plan,
                ..plain(id, template, site, literals, open)
            };
            return (Naming::Pattern, shape);
        }
        let text = named.map_or_else(|| token::template(&literals), str::to_owned);
        let (slots, mut consts) = if self.mine {
            mined_keys::plan(tables, site, &literals, open)
        } else {
            (Vec::new(), Consts::new())
        };
        consts.extend(site.consts.iter().copied());
        let shape = Shape {
            plan: Plan::Slots(slots.into()),
            consts: consts.into(),
            ..plain(id, tables.template(&text), site, literals, open)
        };
        let naming = match named {
            Some(_) => Naming::Record,
            None => Naming::Text,
        };
        (naming, shape)
    }

    /// Whether a message with the same skeleton and other variables may match another pattern than `found`; tried with
    /// variables of several forms.
    fn depends_on_variables(&self, found: Option<usize>, msg: &[u8], variables: &[Part]) -> bool {
        let upto = found.unwrap_or(self.messages().len());
        // Text before the first variable is constant.
        let stays = variables.first().map_or(msg.len(), |v| v.0 as usize);
        let start = msg.get(..stays).unwrap_or(msg);
        let begins = |m: &&MessagePattern| m.may_begin(start);
        let possible: Vec<&MessagePattern> = match stays {
            // The message starts with a variable.
            0 => self.messages().iter().take(upto).collect(),
            _ => {
                let possible = self.compiled.first_bytes.possible(msg);
                let possible = possible.take_while(|at| *at < upto);
                possible
                    .filter_map(|at| self.messages().get(at))
                    .filter(begins)
                    .collect()
            }
        };
        let possible: Vec<&MessagePattern> = possible
            .into_iter()
            .filter(|m| has_words_of(msg, &m.pattern))
            .collect();
        if possible.is_empty() {
            return false;
        }
        let mut spans = Spans::new();
        let fixed = self.compiled.numbers.iter();
        let fixed = fixed.take_while(|(at, _)| *at < upto).map(|(_, n)| &**n);
        let kinds = VARIABLES.iter().copied();
        let mut other = Vec::with_capacity(2 * msg.len());
        kinds.chain(fixed).any(|sample| {
            other.clear();
            let mut pos = 0;
            for (start, end) in variables {
                other.extend_from_slice(msg.get(pos..*start as usize).unwrap_or_default());
                other.extend_from_slice(sample);
                pos = *end as usize;
            }
            other.extend_from_slice(msg.get(pos..).unwrap_or_default());
            let mut possible = possible.iter();
            possible.any(|m| m.may_match(&other) && m.pattern.matches(&other, &mut spans))
        })
    }

    /// Shape of a record whose variables do not fit the plan of its usual shape, or whose patterns are searched; keyed
    /// by the matching pattern or the mined keys.
    pub(crate) fn variant_shape(
        &self,
        tables: &Catalog,
        site: &Site,
        msg: &[u8],
        usual: &Shape,
        matched: Matched<'_>,
    ) -> Arc<Shape> {
        match matched {
            Matched::Pattern(index, spans) => {
                self.matched_shape(tables, site, msg, usual, (index, spans))
            }
            Matched::Mined(keys) => {
                let level = leading_level::level(msg);
                self.mined_shape(tables, site, usual, (keys, level))
            }
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`index` is that of the pattern that matches the message"
    )]
    fn matched_shape(
        &self,
        tables: &Catalog,
        site: &Site,
        msg: &[u8],
        usual: &Shape,
        (index, spans): (usize, &Spans),
    ) -> Arc<Shape> {
        let message = &self.messages()[index];
        let text = message.pattern.template(msg, spans);
        let level = message.level.or(leading_level::level(msg));
        let mark = format!("\u{1}{index}:{level:?}:{text}");
        let key = self.shape_key(site, &usual.literals, usual.open, Some(&mark));
        if let Some(shape) = tables.find_shape(&key) {
            return shape;
        }
        let keys = message.fields(spans).filter_map(|f| Some(f.1?.id));
        let keys = keys.filter(|k| !site.fields.contains(k)).collect();
        let consts = message.consts_beside(&site.fields);
        let consts = consts.chain(site.consts.iter().copied()).collect();
        let template = tables.template(&text);
        tables.shape(key, |id| Shape {
            plan: Plan::Match(keys),
            level: level_of(site, level),
            consts,
            ..plain(id, template, site, usual.literals.clone(), usual.open)
        })
    }

    fn mined_shape(
        &self,
        tables: &Catalog,
        site: &Site,
        usual: &Shape,
        (keys, level): (&[KeyId], Option<Level>),
    ) -> Arc<Shape> {
        let mut mark = format!("\u{1}none {level:?}");
        keys.iter()
            .for_each(|k| mark.push_str(&format!(" {}", k.0)));
        let key = self.shape_key(site, &usual.literals, usual.open, Some(&mark));
        if let Some(shape) = tables.find_shape(&key) {
            return shape;
        }
        if !keys.is_empty() && tables.room_for_mined(self.id) == Room::Full {
            return self.mined_shape(tables, site, usual, (&[], level));
        }
        let literals = usual.literals.clone();
        tables.unnamed_shape(key, &usual.literals, |id, template| Shape {
            plan: Plan::Match(keys.into()),
            level: level_of(site, level),
            ..plain(id, template, site, literals, usual.open)
        })
    }

    fn shape_key(
        &self,
        site: &Site,
        literals: &[Box<[u8]>],
        open: bool,
        named: Option<&str>,
    ) -> ShapeKey {
        // The encoding is unambiguous for any bytes of a message: lengths come first, and literals contain no line end.
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

/// The level of a header takes precedence over that of the message.
fn level_of(site: &Site, message: Option<Level>) -> Level {
    match site.level {
        Level::Unknown => message.unwrap_or_default(),
        compiled => compiled,
    }
}

/// Sample variables: integer, word with a digit, fraction, list.
const VARIABLES: [&[u8]; 4] = [b"7", b"a7b", b"7.5", b"1, 2"];

/// Whether a message contains the words of a pattern that no sample variable could provide; if one is missing, the
/// pattern cannot match.
fn has_words_of(msg: &[u8], pattern: &Pattern) -> bool {
    let tried = |b: &u8| b.is_ascii_digit() || VARIABLES.iter().any(|v| v.contains(b));
    pattern.elements.iter().all(|element| match element {
        Element::Literal(text) => {
            let words = text.split(tried);
            let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
            memchr::memmem::find(msg, longest).is_some()
        }
        Element::Field(_) => true,
    })
}

/// Numbers in the literal text of a pattern: `exit code 0` differs from `exit code {code}`.
pub(super) fn numbers(pattern: &Pattern) -> impl Iterator<Item = &[u8]> {
    let literals = pattern.elements.iter().filter_map(|e| match e {
        Element::Literal(text) => Some(&**text),
        Element::Field(_) => None,
    });
    literals
        .flat_map(|text| text.split(|b| !b.is_ascii_digit()))
        .filter(|digits| !digits.is_empty())
}

fn plain(
    id: ShapeId,
    template: TemplateId,
    site: &Site,
    literals: Box<[Box<[u8]>]>,
    open: bool,
) -> Shape {
    Shape {
        id,
        template,
        level: level_of(site, leading_level::of(&literals)),
        consts: site.consts.clone(),
        literals,
        open,
        plan: Plan::Slots(Box::default()),
        fields: site.fields.clone(),
    }
}

/// Slots of the keys of a matched message, and its constant keys. `None` if fields and variables do not line up, so
/// that the pattern must be matched for every record.
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
        let (start, end) = token::part(span.start, span.end);
        let mut all = (0..).zip(variables);
        let Some((variable, range)) = all.find(|(_, v)| v.0 < end && start < v.1) else {
            match (key, kind) {
                (Some(_), kind) if kind.is_list() => return None,
                (Some(key), _) => consts.push((
                    key.id,
                    key.code(&String::from_utf8_lossy(msg.get(span.clone())?)),
                )),
                (None, _) => {}
            }
            continue;
        };
        let exact = *range == (start, end) && !kind.is_fixed();
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
            key: key.as_ref().map_or(NOT_STORED, |k| k.id),
            variable,
            kind: kind.clone(),
            unit_len: 0,
        });
    }
    Some((slots, consts))
}

/// Whether no literal of the pattern covers part of a variable, and none that ends a lazy field starts with a byte that
/// a variable may contain.
fn literals_avoid(pattern: &Pattern, msg: &[u8], variables: &[Part], spans: &Spans) -> bool {
    let mut pos = 0;
    let mut after_field = false;
    for element in &pattern.elements {
        match element {
            Element::Field(i) => {
                let Some(span) = spans.get(*i) else {
                    return false;
                };
                pos = span.end;
                after_field = true;
            }
            Element::Literal(bytes) => {
                let (start, end) = token::part(pos, pos + bytes.len());
                if variables.iter().any(|v| v.0 < end && start < v.1) {
                    return false;
                }
                if after_field && msg.get(pos).is_some_and(|b| token::in_token(*b)) {
                    return false;
                }
                pos += bytes.len();
                after_field = false;
            }
        }
    }
    true
}
