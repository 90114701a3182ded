//! Compilation of joins against one snapshot: resolves keys and evaluates conditions.

use rustc_hash::FxHashMap;

use widetui_core::ids::KeyId;
use widetui_definition::semantics::Among;
use widetui_query::bits::Bits;
use widetui_query::{Expr, Field, Selection};

use crate::applicable::applies_to;
use crate::cardinality::has_one_value;
use crate::compiled_join::{CompiledJoin, CompiledScope, ProcessIdKey};
use crate::derived_values::JoinIndex;
use crate::extraction::{ExtractionGroups, ExtractionJoin};
use crate::fixpoint::bracket_start::BracketStart;
use crate::fixpoint::order::{Counted, Order};
use crate::fixpoint::processes::Processes;
use crate::fixpoint::{Fixpoint, Prepared, brackets, records_of, take};
use crate::omissions::Omission;
use crate::refutation::{IdentifiedRecord, record_numbers};
use crate::spec::identity::PROCESS_ID;
use crate::spec::{BracketRule, Join, JoinRule, KeyRule, OrderRule, ProcessRule};
use crate::table::MAX_LEFT_KEYS;
use widetui_definition::semantics::MAX_BY;
use widetui_store::source::Source;

impl<'a> Fixpoint<'a> {
    /// Compiles a join and adds it, unless its keys do not occur in the run or it has no evidence.
    /// `None` when cancelled.
    pub(crate) fn compile_join(
        &mut self,
        join: &'a Join,
        prepared: &mut Prepared<'a>,
    ) -> Option<()> {
        let compiled_join = CompiledJoin {
            index: self.compiled.len() as JoinIndex,
            left_keys: Vec::new(),
            process_id: None,
            right_keys: join
                .right_keys()
                .iter()
                .filter_map(|k| self.key(k))
                .collect(),
            scopes: FxHashMap::default(),
            participants: None,
            evidence: None,
            only_duplicates: false,
            is_whole: false,
            is_reduced: false,
            scope: None,
            is_open: false,
            receivers: join.receivers,
        };
        if compiled_join.right_keys.is_empty() && !join.right_keys().is_empty() {
            return Some(());
        }
        let index = self.compiled.len();
        let compiled = match &join.rule {
            JoinRule::Keys(rule) => self.compile_keys(compiled_join, join, rule)?,
            JoinRule::Bracket(rule) => self.compile_bracket(compiled_join, join, rule)?,
            JoinRule::FirstRecord(rule) => {
                let split_files = take(&mut prepared.split_files, join);
                let values = self.first_values(index, (rule, join), split_files)?;
                let has_values = !values.is_empty();
                self.first_records.extend(values);
                let owner_key = rule.derived_keys.get(1).and_then(|name| self.key(name));
                if has_values && !self.doubt.is_empty() {
                    self.owner_keys
                        .extend(owner_key.map(|key| (compiled_join.index, key)));
                }
                has_values.then_some(compiled_join)
            }
            JoinRule::ConsecutiveRuns(_) => {
                let runs = take(&mut prepared.consecutive_runs, join);
                let has_runs = runs.is_some();
                self.consecutive_runs.extend(runs.map(|runs| (index, runs)));
                has_runs.then_some(compiled_join)
            }
            JoinRule::Extraction(_) => {
                let extraction = take(&mut prepared.extractions, join);
                extraction.map(|extraction| self.compile_extraction(compiled_join, extraction))
            }
        };
        if let Some(compiled) = compiled {
            self.compiled.push(compiled);
            self.joins.push(join);
        }
        Some(())
    }

    /// Connects joins by a key that is unique within a scope to the join that gives its values their scope.
    pub(crate) fn resolve_scopes(&mut self) {
        let mut scopes: Vec<Option<CompiledScope>> = Vec::new();
        for (join, source) in self.compiled.iter().zip(&self.joins) {
            let JoinRule::Keys(KeyRule {
                scoped_key: Some(name),
                ..
            }) = &source.rule
            else {
                scopes.push(None);
                continue;
            };
            let key = self.key(name);
            let slot = join.left_keys.iter().position(|left| Some(*left) == key);
            let gives_scope = |other: &&CompiledJoin| {
                other.left_keys.iter().copied().eq(key)
                    && self.joins[usize::from(other.index)].is_scope()
            };
            let scope = self
                .compiled
                .iter()
                .find(gives_scope)
                .zip(slot)
                .map(|(scope, slot)| CompiledScope {
                    slot,
                    join: usize::from(scope.index),
                    keys: scope.right_keys.clone(),
                    stand_ins: match &self.joins[usize::from(scope.index)].rule {
                        JoinRule::Keys(rule) => rule.scope_stand_ins,
                        _ => 0,
                    },
                });
            let fits =
                |scope: &CompiledScope| join.left_keys.len() + scope.keys.len() <= MAX_LEFT_KEYS;
            scopes.push(scope.filter(fits));
        }
        for (join, scope) in self.compiled.iter_mut().zip(scopes) {
            join.scope = scope.map(Box::new);
        }
    }

    /// Compiles a join of keys; the inner `None` if it has no effect, the outer one when cancelled.
    fn compile_keys(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &KeyRule,
    ) -> Option<Option<CompiledJoin>> {
        let by = self.keys(&rule.left_keys).filter(|by| !by.is_empty());
        let Some(mut by) = by else {
            return Some(None);
        };
        let scope: Vec<KeyId> = { rule.scope_keys.iter() }
            .filter_map(|name| self.key(name))
            .filter(|key| self.known_keys.contains(key))
            .collect();
        by.splice(0..0, scope);
        if by.len() > MAX_BY {
            self.omissions.push((join, Omission::TooManyKeys));
            return Some(None);
        }
        if rule.duplicates == Among::DuplicatesByPath && self.doubt.is_empty() {
            return Some(None);
        }
        // Records of the system itself state their scope in other ways.
        let is_own = |source: &Source| source.system == join.system;
        if !rule.sole_keys.is_empty() && self.snapshot.sources.iter().all(|s| is_own(s)) {
            return Some(None);
        }
        for name in &rule.sole_keys {
            let key = self.key(name);
            let has_several = |key: KeyId| {
                self.numbered_keys.contains(&key) || !has_one_value(self.snapshot, key)
            };
            if key.is_some_and(has_several) {
                return Some(None);
            }
        }
        let place = |compiled: &CompiledJoin, name: &String| {
            let key = self.key(name)?;
            compiled.right_keys.iter().position(|right| *right == key)
        };
        let given = rule.given_scopes.iter().filter_map(|given| {
            place(&compiled, &given.scope).zip(place(&compiled, &given.instance))
        });
        compiled.scopes = given.collect();
        compiled.left_keys = by;
        compiled.is_whole = !rule.sole_keys.is_empty() || rule.is_scope;
        compiled.is_open = rule.is_open;
        compiled.is_reduced = rule.is_reduced;
        compiled.only_duplicates = rule.duplicates == Among::DuplicatesByPath;
        if let Some(evidence) = &rule.evidence {
            let evidence = self.cached_events(evidence)?;
            // Without evidence the join derives nothing, unless its groups are decided: skip its
            // other conditions.
            if evidence.is_empty()
                && rule.duplicates != Among::DuplicatesByPath
                && rule.identified_record.is_none()
            {
                return Some(None);
            }
            compiled.evidence = Some(evidence);
        }
        compiled.participants = self.participants(rule.condition.as_ref())?;
        if let Some(receivers) = &rule.receivers
            && !self.restrict_receivers(&mut compiled, receivers)?
        {
            return Some(None);
        }
        if let Some(processes) = &rule.processes {
            let Some([id, life]) = self.compile_processes(&mut compiled, join, processes)? else {
                return Some(None);
            };
            if let Some(key) = compiled.left_keys.last_mut() {
                let writer = std::mem::replace(key, id);
                compiled.process_id = Some(ProcessIdKey {
                    subject: id,
                    writer,
                });
            }
            compiled.left_keys.push(life);
        }
        if let Some(order) = &rule.order {
            let Some(order) = self.compile_order(order)? else {
                return Some(None);
            };
            self.orders.push(order);
            compiled.evidence = Some(records_of(self.snapshot, |_| false));
        }
        if rule.lifetime.is_some() {
            let Some(lifetime) = self.lifetime_key((join, rule), &compiled.left_keys)? else {
                return Some(None);
            };
            let last = compiled.left_keys.len() - 1;
            compiled.left_keys.insert(last, lifetime);
        }
        if let Some(kind) = rule.identified_record {
            // Only doubtful records need it.
            if self.doubt.is_empty() {
                return Some(None);
            }
            let numbers = record_numbers(self.snapshot, compiled.participants.as_ref());
            compiled.right_keys = vec![self.add_virtual_key(numbers)];
            self.identified_records.push(IdentifiedRecord {
                join: compiled.index,
                kind,
                reporters: compiled.evidence.take(),
            });
        }
        Some(Some(compiled))
    }

    /// Restricts a join to the evidence of the processes of a rule, and creates the keys of their ids and lives; the inner
    /// `None` if there are no such processes or no record besides theirs names one, the outer one when cancelled.
    fn compile_processes(
        &mut self,
        compiled: &mut CompiledJoin,
        join: &'a Join,
        rule: &ProcessRule,
    ) -> Option<Option<[KeyId; 2]>> {
        let snapshot = self.snapshot;
        let kinds = rule.source_kinds.as_slice();
        let mut own = records_of(snapshot, |source| applies_to(snapshot, source, join, kinds));
        if let Some(condition) = &rule.condition {
            own.and(&self.cached_events(condition)?);
        }
        if own.is_empty() {
            return Some(None);
        }
        let id_keys = self.process_id_keys.clone();
        let of_system = records_of(snapshot, |source| applies_to(snapshot, source, join, &[]));
        let ends = self.participants(rule.end.as_ref())?;
        let mut processes = Processes {
            own: &own,
            of_system: &of_system,
            ends: ends.as_ref(),
            are_all_on_one_host: true,
            is_by_host: join.left_keys().len() > 1,
        };
        if self.extracted_process_ids.is_none() && !processes.are_named(snapshot, &id_keys) {
            return Some(None);
        }
        let mut host_keys = rule.host_keys.iter().filter_map(|key| self.key(key));
        processes.are_all_on_one_host = host_keys.all(|key| has_one_value(snapshot, key));
        let (ids, lives) =
            processes.lives(snapshot, &self.doubt.rows, (&id_keys, &self.virtual_keys));
        if lives.iter().all(Option::is_none) {
            return Some(None);
        }
        compiled.evidence = Some(own);
        compiled.is_whole = true;
        Some(Some([ids, lives].map(|codes| self.add_virtual_key(codes))))
    }

    /// Pairing by order of the next compiled join; the inner `None` if a key does not occur, the outer one when cancelled.
    fn compile_order(&mut self, rule: &OrderRule) -> Option<Option<Order>> {
        let mut counted = Vec::with_capacity(rule.counted.len());
        for alternative in &rule.counted {
            let end = self.participants(alternative.end.as_ref())?;
            let begin = self.participants(alternative.begin.as_ref())?;
            counted.push(Counted {
                records: self.cached_events(&alternative.condition)?,
                end,
                begin,
            });
        }
        let keys = (
            self.keys(&rule.scope_keys),
            self.key(&rule.counted_key),
            self.key(&rule.number_key),
        );
        let (Some(scope_keys), Some(counted_key), Some(number_key)) = keys else {
            return Some(None);
        };
        Some(Some(Order {
            join: self.compiled.len(),
            scope_keys,
            counted_key,
            number_key,
            counted,
        }))
    }

    /// Events that fit a condition; the inner `None` means all. `None` when cancelled.
    fn participants(&mut self, condition: Option<&Expr>) -> Option<Option<Selection>> {
        match condition {
            Some(condition) => self.cached_events(condition).map(Some),
            None => Some(None),
        }
    }

    /// Records whose path does not decide their instance.
    fn doubtful_records(&self) -> Selection {
        let segments = self.snapshot.segments.iter().zip(&self.doubt.rows);
        let bits = segments.map(|(segment, rows)| {
            let mut bits = Bits::none(segment.len());
            rows.iter().for_each(|row| bits.set(*row as usize));
            bits
        });
        Selection::new(bits.collect())
    }

    /// Restricts the participants of a join to `receivers` and to its evidence; the inner value is false if no record with
    /// the last left key may receive a value, the outer one `None` when cancelled.
    fn restrict_receivers(
        &mut self,
        compiled: &mut CompiledJoin,
        receivers: &Expr,
    ) -> Option<bool> {
        let mut taking_part = self.cached_events(receivers)?;
        // The keys that a doubtful record lacks are unknown, not absent.
        taking_part.and_not(&self.doubtful_records());
        let Some(last) = compiled.left_keys.last() else {
            return Some(false);
        };
        let name = self.snapshot.catalog.keys.name(*last).to_owned();
        let mut named = self.cached_events(&Expr::Has(Field::Key(name)))?;
        named.and(&taking_part);
        if named.is_empty() {
            return Some(false);
        }
        if let Some(evidence) = &compiled.evidence {
            taking_part.or(evidence);
        }
        if let Some(participants) = &compiled.participants {
            taking_part.and(participants);
        }
        compiled.participants = Some(taking_part);
        Some(true)
    }

    /// Creates a key with the number of the lifetime of the instance that `by` identifies; the inner `None`
    /// if no record starts a lifetime, the outer one when cancelled.
    fn lifetime_key(
        &mut self,
        (join, rule): (&Join, &KeyRule),
        by: &[KeyId],
    ) -> Option<Option<KeyId>> {
        let Some((opening, closing)) = &rule.lifetime else {
            return Some(None);
        };
        // What a process does concerns the records that name it: of the kernel, of a watchdog.
        let writer_key = self.key(PROCESS_ID).filter(|_| rule.is_of_process);
        let others = self.process_id_keys.iter().copied();
        let others: Vec<KeyId> =
            { others.filter(|key| writer_key.is_some_and(|own| own != *key)) }.collect();
        // Its own records are in brackets.
        let is_own = |source: &Source| source.system == join.system;
        let are_all_own = others.is_empty() && self.snapshot.sources.iter().all(|s| is_own(s));
        if writer_key.is_some() && are_all_own {
            return Some(None);
        }
        let opening = self.cached_events(opening)?;
        if opening.is_empty() {
            return Some(None);
        }
        let closing = self.participants(closing.as_ref())?;
        let closing = closing.as_ref();
        let by = writer_key.as_ref().map_or(by, std::slice::from_ref);
        let keys = (by, others.as_slice(), &self.virtual_keys);
        let lifetimes =
            brackets::lifetimes(self.snapshot, &self.doubt.rows, keys, &opening, closing);
        Some(Some(self.add_virtual_key(lifetimes)))
    }

    /// Compiles a bracket join; the inner `None` if it has no effect, the outer one when cancelled.
    fn compile_bracket(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &BracketRule,
    ) -> Option<Option<CompiledJoin>> {
        if rule.duplicates == Among::DuplicatesByPath && self.doubt.is_empty() {
            return Some(None);
        }
        let opening = self.cached_events(&rule.open)?;
        if opening.is_empty() {
            return Some(None);
        }
        let closing = self.participants(rule.close.as_ref())?;
        let snapshot = self.snapshot;
        let writers = { &mut self.writers }.get_or_insert_with(|| brackets::writers(snapshot));
        let mut spans = brackets::brackets(
            snapshot,
            writers,
            |source| applies_to(snapshot, source, join, &rule.source_kinds),
            (&opening, closing.as_ref()),
            rule.absorbs_openings,
        );
        if let (Some((starts, name_key)), Some(key)) =
            (&rule.instance_start, compiled.right_keys.first())
        {
            let starts = self.events(starts)?;
            if let Some(name_key) = self.key(name_key) {
                let bracket_start = BracketStart {
                    instance_key: *key,
                    starts: &starts,
                    name_key,
                };
                bracket_start.remove_earlier(self.snapshot, &self.doubt.rows, &mut spans);
            }
        }
        if rule.duplicates == Among::DuplicatesByPath {
            brackets::merge_duplicates(self.snapshot, &mut spans);
        }
        compiled.participants = self.participants(rule.condition.as_ref())?;
        compiled.left_keys = vec![self.add_virtual_key(spans)];
        compiled.only_duplicates = rule.duplicates == Among::DuplicatesByPath;
        Some(Some(compiled))
    }

    /// Compiles an extraction join from the values extracted beforehand.
    fn compile_extraction(
        &mut self,
        mut compiled: CompiledJoin,
        mut extraction: ExtractionJoin,
    ) -> CompiledJoin {
        compiled.left_keys = match &mut extraction.groups_by {
            ExtractionGroups::ByValue(key) => vec![*key],
            ExtractionGroups::ByRow(rows) => vec![self.add_virtual_key(std::mem::take(rows))],
        };
        compiled.participants = extraction.participants.take();
        // The values of the groups are known beforehand; events add no evidence.
        compiled.evidence = Some(Selection::from_events(self.snapshot, []));
        self.extractions.push((self.compiled.len(), extraction));
        compiled
    }
}
