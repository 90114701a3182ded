//! Compiles the messages of definitions to patterns with keys.

use std::sync::Arc;

use widetui_core::level::Level;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::definitions::systems::System;
use crate::messages::continuation_lines::ContinuationPattern;
use crate::messages::scope::MessagePattern;
use crate::pattern::parts::expand;
use crate::pattern::{FieldKind, Pattern};
use widetui_definition::syntax::{Definition, MessageDef, MessagesDef, spelling};
use widetui_definition::text::Text;

/// Definitions in force, with the tables that hold the keys of their messages.
#[derive(Debug)]
pub(crate) struct ScopeMessages {
    /// Definitions in force.
    pub(crate) systems: Arc<[Arc<System>]>,
    /// Tables of the run.
    pub(crate) tables: Arc<Catalog>,
}

impl ScopeMessages {
    /// Messages of the named scopes of a system, concatenated.
    pub fn of(&self, system: usize, scopes: &[String]) -> Vec<MessagePattern> {
        let own = self.systems.get(system).into_iter();
        let names = own.flat_map(|own| scopes.iter().map(|name| (&own.def, name)));
        let messages = names.flat_map(|(own, name)| {
            let (def, name) = self.scope_owner(own, name);
            self.messages_of(def, name)
        });
        messages.collect()
    }

    /// Definition and local name of a scope: `name` belongs to `own`, `system.name` to another system.
    fn scope_owner<'a>(&'a self, own: &'a Definition, name: &'a str) -> (&'a Definition, &'a str) {
        let here = own.messages.iter().any(|m| m.scope.get_ref() == name);
        let other = name.split_once('.').and_then(|(system, scope)| {
            let system = self.systems.iter().find(|s| s.name() == system)?;
            Some((&system.def, scope))
        });
        match other {
            Some(other) if !here => other,
            _ => (own, name),
        }
    }

    /// Messages of a scope, one per spelling of their parts.
    fn messages_of(&self, def: &Definition, scope: &str) -> Vec<MessagePattern> {
        let tables = def.messages.iter().filter(|m| m.scope.get_ref() == scope);
        let messages = tables.flat_map(|table| {
            let all = table.patterns.iter();
            all.map(move |message| (table, message.get_ref()))
        });
        let spellings = messages.flat_map(|(table, message)| {
            let all = expand(&def.parts, message.pattern()).unwrap_or_default();
            let all = all.into_iter();
            all.filter_map(move |pattern| self.message(table, message, &pattern))
        });
        spellings.collect()
    }

    fn message(
        &self,
        table: &MessagesDef,
        def: &MessageDef,
        pattern: &str,
    ) -> Option<MessagePattern> {
        let keys = &self.tables.keys;
        let pattern = Pattern::compile(pattern).ok()?;
        let full = match def {
            MessageDef::Plain(_) => None,
            MessageDef::Full(full) => Some(full),
        };
        let consts = full.into_iter().flat_map(|full| &full.keys);
        let consts = consts.filter_map(|(name, value)| {
            let key = keys.get(name)?;
            Some((key.id, key.code(&spelling(value))))
        });
        let consts = consts.collect();
        let lines = full.into_iter().flat_map(|full| &full.lines);
        let continuation = lines.chain(&table.lines).filter_map(|line: &Text| {
            let pattern = Pattern::compile(line.get_ref()).ok()?;
            Some(ContinuationPattern::new(
                self.keys_of(&pattern),
                pattern,
                keys,
            ))
        });
        let same = full.into_iter().flat_map(|full| &full.same);
        let same = same.filter_map(|(name, of)| {
            let mut fields = pattern.fields.iter().enumerate();
            let (at, field) = fields.find(|(_, f)| f.name == *of.get_ref())?;
            Some((at, keys.get(name)?, field.kind.clone()))
        });
        let own = self.keys_of(&pattern);
        let hosts = own
            .iter()
            .enumerate()
            .filter_map(|(at, key)| Some((at, keys.host_key(key.as_ref()?)?, FieldKind::Hosts)));
        let level = full.and_then(|full| full.level.as_deref());
        Some(MessagePattern {
            same: same.chain(hosts).collect(),
            level: level.and_then(|l| Level::parse(l.as_bytes())),
            keys: own.clone(),
            pattern,
            consts,
            continuation: continuation.collect(),
        })
    }

    /// Key of each field of a pattern; `None` for a field whose value is not kept.
    fn keys_of(&self, pattern: &Pattern) -> Vec<Option<Arc<Key>>> {
        let fields = pattern.fields.iter();
        let key = |name: &str| self.tables.keys.get(name).filter(|_| !name.is_empty());
        fields.map(|f| key(&f.name)).collect()
    }
}
