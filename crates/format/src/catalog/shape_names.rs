//! Assigns templates to shapes: their own, one merged with others (see [`super::merged_templates`]), or a coarser one
//! beyond the cardinality limit (see [`super::cardinality`]).

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use widetui_core::ids::{KeyId, ShapeId, TemplateId};
use widetui_core::lock;
use widetui_definition::words::WordsDef;

use super::{Catalog, Consts, Inner, Shape, ShapeKey, number};
use crate::catalog::cardinality::{self, Granularity};
use crate::catalog::merged_templates::{TemplateAt, merged_texts};
use crate::text::token;

/// Origin of the text of a shape's template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// The pattern of a definition, or there is no message text.
    Pattern,
    /// The literal text of the message.
    Text,
    /// The record itself: a format string, or the names of its fields.
    Record,
}

/// Whether one more item fits a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// It fits.
    Free,
    /// The limit is reached.
    Full,
}

/// Keys of a line of code.
#[derive(Debug)]
pub(super) struct LineKeys {
    line: Option<KeyId>,
    /// Keys that a line belongs to.
    others: Vec<KeyId>,
}

impl LineKeys {
    /// Values that identify the line of code that writes the records of a shape; empty if it is unknown.
    fn values(&self, shape: &Shape) -> Consts {
        let has_line = shape.consts.iter().any(|c| Some(c.0) == self.line);
        let is_part = |key: KeyId| Some(key) == self.line || self.others.contains(&key);
        let parts = shape.consts.iter().filter(|c| has_line && is_part(c.0));
        parts.copied().collect()
    }
}

impl Catalog {
    /// Keys of a line of code that occur in this run.
    pub(super) fn line_keys(&self) -> LineKeys {
        let id = |name: &&str| Some(self.keys.find(name)?.id);
        LineKeys {
            line: id(&"line"),
            others: ["file", "func", "logger", "module"]
                .iter()
                .filter_map(id)
                .collect(),
        }
    }

    /// Shape with a template of its own. `None` if its scope has reached the cardinality limit and `granularity` merges such
    /// templates.
    pub(crate) fn own_shape(
        &self,
        key: ShapeKey,
        naming: Naming,
        make: impl FnOnce(ShapeId) -> Shape,
    ) -> Option<Arc<Shape>> {
        let mut inner = lock::write(&self.inner);
        if let Some(shape) = inner.shape_of.get(&key) {
            return Some(shape.clone());
        }
        let id = ShapeId(number(inner.shapes.len()));
        let shape = make(id);
        let word = cardinality::first_word(&shape.literals).to_vec();
        let text = FxBuildHasher.hash_one(&key.skeleton);
        let (granularity, coarsened) = inner
            .template_sets
            .entry(key.scope)
            .or_default()
            .count_template(&word, text);
        for (word, shapes) in coarsened.shapes {
            inner.rename(&word, &shapes);
        }
        if granularity != Granularity::ByText {
            return None;
        }
        let set = inner.template_sets.entry(key.scope).or_default();
        if naming != Naming::Pattern {
            set.add_named(&word, id);
        }
        if naming == Naming::Text {
            set.add_text(id);
        }
        Some(self.insert(&mut inner, key, |_| shape))
    }

    /// Shape of a record that no pattern matches and whose usual shape lacks some of its columns. It is named by its
    /// message text as long as the cardinality limit allows.
    pub(crate) fn unnamed_shape(
        &self,
        key: ShapeKey,
        literals: &[Box<[u8]>],
        make: impl FnOnce(ShapeId, TemplateId) -> Shape,
    ) -> Arc<Shape> {
        let mut inner = lock::write(&self.inner);
        if let Some(shape) = inner.shape_of.get(&key) {
            return shape.clone();
        }
        let id = ShapeId(number(inner.shapes.len()));
        let word = cardinality::first_word(literals).to_vec();
        let set = inner.template_sets.entry(key.scope).or_default();
        let granularity = set.granularity(&word);
        set.add_named(&word, id);
        set.add_text(id);
        let template = match granularity {
            Granularity::ByText => inner.template(&token::template(literals)),
            Granularity::ByWord | Granularity::Single => {
                inner.coarse_template(granularity.kept_word(&word))
            }
        };
        self.insert(&mut inner, key, |id| make(id, template))
    }

    /// Shapes whose template stands for all messages with the same first word.
    pub fn coarse_shapes(&self) -> FxHashSet<ShapeId> {
        let inner = lock::read(&self.inner);
        if inner.coarse.is_empty() {
            return FxHashSet::default();
        }
        let shapes = inner.shapes.iter();
        let coarse = shapes.filter(|s| inner.coarse.contains(&s.template));
        coarse.map(|s| s.id).collect()
    }

    /// Granularity of the templates of a scope's messages with this first word.
    pub(crate) fn granularity(&self, scope: u32, word: &[u8]) -> Granularity {
        let inner = lock::read(&self.inner);
        let set = inner.template_sets.get(&scope);
        set.map_or(Granularity::ByText, |c| c.granularity(word))
    }

    /// Takes a place for one more shape of keys mined from merged messages in a scope.
    pub(crate) fn room_for_mined(&self, scope: u32) -> Room {
        let mut inner = lock::write(&self.inner);
        let set = inner.template_sets.entry(scope).or_default();
        if !set.has_room() {
            return Room::Full;
        }
        set.count_mined();
        Room::Free
    }
}

impl Inner {
    /// Template of all messages with this first word.
    fn coarse_template(&mut self, word: &[u8]) -> TemplateId {
        let id = self.template(&format!("{}{{}}", String::from_utf8_lossy(word)));
        if !self.coarse.contains(&id) {
            self.coarse.push(id);
        }
        id
    }

    /// Merges the templates of the scopes with new ones.
    pub(super) fn merge_templates(&mut self, keys: &LineKeys, words: &WordsDef) {
        let scopes: Vec<u32> = self.template_sets.keys().copied().collect();
        for scope in scopes {
            let Some(shapes) = self
                .template_sets
                .get_mut(&scope)
                .and_then(|s| s.unmerged())
            else {
                continue;
            };
            self.merge_scope(scope, shapes, keys, words);
        }
        self.frozen = self.shapes.len();
    }

    fn merge_scope(&mut self, scope: u32, shapes: Vec<ShapeId>, keys: &LineKeys, words: &WordsDef) {
        let mut lines: FxHashMap<Consts, u32> = FxHashMap::default();
        lines.insert(Consts::new(), 0);
        let mut templates: BTreeMap<TemplateAt, Vec<ShapeId>> = BTreeMap::new();
        for id in shapes {
            let (Some(shape), Some(set)) =
                (self.shapes.get(id.index()), self.template_sets.get(&scope))
            else {
                continue;
            };
            if set.granularity(cardinality::first_word(&shape.literals)) != Granularity::ByText {
                continue;
            }
            let next = number(lines.len());
            let template = TemplateAt {
                literals: shape.literals.clone(),
                line: *lines.entry(keys.values(shape)).or_insert(next),
            };
            templates.entry(template).or_default().push(id);
        }
        let texts = merged_texts(templates.keys(), words);
        for ((own, shapes), text) in templates.iter().zip(texts) {
            let template = match text {
                Some(text) => self.template(&text),
                None => self.template(&token::template(&own.literals)),
            };
            self.assign(template, shapes);
        }
    }

    /// Assigns a template to shapes.
    fn assign(&mut self, template: TemplateId, shapes: &[ShapeId]) {
        for id in shapes {
            if let Some(shape) = self.shapes.get_mut(id.index())
                && shape.template != template
            {
                *shape = Arc::new(Shape {
                    template,
                    ..(**shape).clone()
                });
                self.is_renamed |= id.index() < self.frozen;
            }
        }
    }

    /// Moves shapes to the template of all messages with this first word.
    fn rename(&mut self, word: &[u8], shapes: &[ShapeId]) {
        if shapes.is_empty() {
            return;
        }
        let template = self.coarse_template(word);
        self.assign(template, shapes);
    }
}
