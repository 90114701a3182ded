//! Compilation of joins against one snapshot: resolves keys and evaluates conditions.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancelled;
use widetui_core::dict::Code;
use widetui_core::ids::{KeyId, SourceId};
use widetui_definition::semantics::Among;
use widetui_query::bits::Bits;
use widetui_query::{Expr, Field, Selection};

use crate::applicable::applies_to;
use crate::cardinality::has_one_value;
use crate::compiled_join::{CompiledJoin, CompiledScope, ProcessIdKey};
use crate::derived_values::JoinIndex;
use crate::extraction::{ExtractionGroups, ExtractionJoin};
use crate::fixpoint::bracket_start::BracketStart;
use crate::fixpoint::consecutive_runs::RunsInLogs;
use crate::fixpoint::first_records::SplitFiles;
use crate::fixpoint::order::{Counted, Order};
use crate::fixpoint::processes::Processes;
use crate::fixpoint::{Fixpoint, brackets};
use crate::omissions::Omission;
use crate::refutation::{IdentifiedRecord, record_numbers};
use crate::spec::identity::PROCESS_ID;
use crate::spec::{BracketRule, Join, JoinRule, KeyRule, OrderRule, ProcessRule};
use crate::table::MAX_LEFT_KEYS;
use widetui_definition::semantics::MAX_BY;
use widetui_store::source::Source;

/// Result of compiling a join.
enum Compilation {
    /// The join can be computed.
    Ready(Box<CompiledJoin>),
    /// The keys of the join do not occur in the run, or it has no evidence.
    Idle,
}

impl<'a> Fixpoint<'a> {
    /// Compiles a join and adds it, unless its keys do not occur in the run or it has no evidence.
    /// `None` when cancelled.
    pub(crate) fn compile_join(
        &mut self,
        join: &'a Join,
        extraction: Option<ExtractionJoin<'a>>,
        split_files: Option<SplitFiles<'a>>,
        runs: Option<RunsInLogs>,
    ) -> Option<()> {
        let compiled_join = CompiledJoin {
            index: self.compiled.len() as JoinIndex,
            left_keys: Vec::new(),
            process_id: None,
            inner: 0,
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
        let compilation = match &join.rule {
            JoinRule::Keys(rule) => self.compile_keys(compiled_join, join, rule)?,
            JoinRule::Bracket(rule) => self.compile_bracket(compiled_join, join, rule)?,
            JoinRule::FirstRecord(rule) => {
                let values = self.first_values(self.compiled.len(), (rule, join), split_files)?;
                let is_idle = values.is_empty();
                self.first_records.extend(values);
                let owner_key = rule.derived_keys.get(1).and_then(|name| self.key(name));
                if !is_idle && !self.doubt.is_empty() {
                    self.owner_keys
                        .extend(owner_key.map(|key| (compiled_join.index, key)));
                }
                if is_idle {
                    Compilation::Idle
                } else {
                    Compilation::Ready(Box::new(compiled_join))
                }
            }
            JoinRule::ConsecutiveRuns(_) => match runs {
                Some(mut runs) => {
                    runs.join_index = self.compiled.len();
                    self.consecutive_runs.push(runs);
                    Compilation::Ready(Box::new(compiled_join))
                }
                None => Compilation::Idle,
            },
            JoinRule::Extraction(_) => self.compile_extraction(compiled_join, extraction),
        };
        let Compilation::Ready(compiled) = compilation else {
            return Some(());
        };
        let mut compiled = *compiled;
        let variety = |at: &usize| self.distinct_value_bound(compiled.left_keys[*at]);
        let places = 0..compiled.left_keys.len();
        compiled.inner = places.max_by_key(variety).unwrap_or_default();
        self.compiled.push(compiled);
        self.joins.push(join);
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

    /// Compiles a join of keys; `None` when cancelled.
    fn compile_keys(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &KeyRule,
    ) -> Option<Compilation> {
        let by = self.keys(&rule.left_keys).filter(|by| !by.is_empty());
        let Some(mut by) = by else {
            return Some(Compilation::Idle);
        };
        let scope: Vec<KeyId> = { rule.scope_keys.iter() }
            .filter_map(|name| self.key(name))
            .filter(|key| self.known_keys.contains(key))
            .collect();
        by.splice(0..0, scope);
        if by.len() > MAX_BY {
            self.omissions.push((join, Omission::TooManyKeys));
            return Some(Compilation::Idle);
        }
        if rule.duplicates == Among::DuplicatesByPath && self.doubt.is_empty() {
            return Some(Compilation::Idle);
        }
        // Records of the system itself state their scope in other ways.
        let is_own = |source: &Source| source.system == join.system;
        if !rule.sole_keys.is_empty() && self.snapshot.sources.iter().all(|s| is_own(s)) {
            return Some(Compilation::Idle);
        }
        for name in &rule.sole_keys {
            let key = self.key(name);
            let has_several = |key: KeyId| {
                self.numbered_keys.contains(&key) || !has_one_value(self.snapshot, key)
            };
            if key.is_some_and(has_several) {
                return Some(Compilation::Idle);
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
                return Some(Compilation::Idle);
            }
            compiled.evidence = Some(evidence);
        }
        compiled.participants = self.participants(rule.condition.as_ref())?;
        if let Some(receivers) = &rule.receivers
            && !self.restrict_receivers(&mut compiled, receivers)?
        {
            return Some(Compilation::Idle);
        }
        if let Some(processes) = &rule.processes {
            let Some([id, life]) = self.compile_processes(&mut compiled, join, processes)? else {
                return Some(Compilation::Idle);
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
                return Some(Compilation::Idle);
            };
            self.orders.push(order);
            compiled.evidence = Some(self.records_of(|_| false));
        }
        if rule.lifetime.is_some() {
            let Some(lifetime) = self.lifetime_key((join, rule), &compiled.left_keys).ok()? else {
                return Some(Compilation::Idle);
            };
            let last = compiled.left_keys.len() - 1;
            compiled.left_keys.insert(last, lifetime);
        }
        if let Some(kind) = rule.identified_record {
            // Only doubtful records need it.
            if self.doubt.is_empty() {
                return Some(Compilation::Idle);
            }
            let numbers = record_numbers(self.snapshot, compiled.participants.as_ref());
            compiled.right_keys = vec![self.add_virtual_key(numbers)];
            self.identified_records.push(IdentifiedRecord {
                join: compiled.index,
                kind,
                reporters: compiled.evidence.take(),
            });
        }
        Some(Compilation::Ready(Box::new(compiled)))
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
        let mut own = self.records_of(|source| applies_to(snapshot, source, join, kinds));
        if let Some(condition) = &rule.condition {
            own.and(&self.cached_events(condition)?);
        }
        if own.is_empty() {
            return Some(None);
        }
        let id_keys = self.process_id_keys.clone();
        let of_system = self.records_of(|source| applies_to(snapshot, source, join, &[]));
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

    /// Records of the sources that satisfy a condition.
    fn records_of(&self, applies: impl Fn(SourceId) -> bool) -> Selection {
        let segments = self.snapshot.segments.iter().map(|segment| {
            let mut bits = Bits::none(segment.len());
            for part in segment.parts.iter().filter(|part| applies(part.source)) {
                let first = part.first_row as usize;
                bits.set_range(first, first + part.rows as usize);
            }
            bits
        });
        Selection::new(segments.collect())
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

    /// Creates a key with the number of the lifetime of the instance that `by` identifies; `None`
    /// if no record starts a lifetime.
    fn lifetime_key(
        &mut self,
        (join, rule): (&Join, &KeyRule),
        by: &[KeyId],
    ) -> Result<Option<KeyId>, Cancelled> {
        let Some((opening, closing)) = &rule.lifetime else {
            return Ok(None);
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
            return Ok(None);
        }
        let opening = self.cached_events(opening).ok_or(Cancelled)?;
        if opening.is_empty() {
            return Ok(None);
        }
        let closing = self.closing_events(closing.as_ref())?;
        let closing = closing.as_ref();
        let by = writer_key.as_ref().map_or(by, std::slice::from_ref);
        let keys = (by, others.as_slice(), &self.virtual_keys);
        let lifetimes =
            brackets::lifetimes(self.snapshot, &self.doubt.rows, keys, &opening, closing);
        Ok(Some(self.add_virtual_key(lifetimes)))
    }

    /// Compiles a bracket join; `None` when cancelled.
    fn compile_bracket(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &BracketRule,
    ) -> Option<Compilation> {
        if rule.duplicates == Among::DuplicatesByPath && self.doubt.is_empty() {
            return Some(Compilation::Idle);
        }
        let opening = self.cached_events(&rule.open)?;
        if opening.is_empty() {
            return Some(Compilation::Idle);
        }
        let closing = self.closing_events(rule.close.as_ref()).ok()?;
        let mut spans = self.bracket_numbers(join, rule, &opening, closing.as_ref());
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
        Some(Compilation::Ready(Box::new(compiled)))
    }

    /// Number of the bracket of each record, by segment.
    fn bracket_numbers(
        &mut self,
        join: &Join,
        rule: &BracketRule,
        opening: &Selection,
        closing: Option<&Selection>,
    ) -> Vec<Option<Box<[Code]>>> {
        let snapshot = self.snapshot;
        let applies = |s| applies_to(snapshot, s, join, &rule.source_kinds);
        let writers = self
            .writers
            .get_or_insert_with(|| brackets::writers(snapshot));
        brackets::brackets(
            snapshot,
            writers,
            applies,
            opening,
            closing,
            rule.absorbs_openings,
        )
    }

    /// Compiles an extraction join from the values extracted beforehand.
    fn compile_extraction(
        &mut self,
        mut compiled: CompiledJoin,
        extraction: Option<ExtractionJoin<'a>>,
    ) -> Compilation {
        let Some(mut extraction) = extraction else {
            return Compilation::Idle;
        };
        compiled.left_keys = match &mut extraction.groups_by {
            ExtractionGroups::ByValue(key) => vec![*key],
            ExtractionGroups::ByRow(rows) => vec![self.add_virtual_key(std::mem::take(rows))],
        };
        compiled.participants = extraction.participants.take();
        // The values of the groups are known beforehand; events add no evidence.
        compiled.evidence = Some(Selection::from_events(self.snapshot, []));
        self.extractions.push((self.compiled.len(), extraction));
        Compilation::Ready(Box::new(compiled))
    }

    /// Events that fit the closing condition, if there is one.
    fn closing_events(&self, closing: Option<&Expr>) -> Result<Option<Selection>, Cancelled> {
        let events = closing.map(|closing| self.events(closing).ok_or(Cancelled));
        events.transpose()
    }
}
