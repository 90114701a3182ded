//! Compilation of joins against one snapshot: resolves keys and evaluates conditions.

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancelled;
use widetui_core::dict::Code;
use widetui_core::ids::{KeyId, SourceId};
use widetui_definition::semantics::Among;
use widetui_query::bits::Bits;
use widetui_query::{Expr, Selection};

use crate::cardinality::has_one_value;
use crate::derived_values::JoinIndex;
use crate::exactly_once::executions::ExactlyOnce;
use crate::extraction::{ExtractionGroups, ExtractionJoin};
use crate::fixpoint::bracket_start::BracketStart;
use crate::fixpoint::consecutive_runs::RunsInLogs;
use crate::fixpoint::first_records::SplitFiles;
use crate::fixpoint::order::{Counted, Order};
use crate::fixpoint::processes::Processes;
use crate::fixpoint::{Fixpoint, brackets};
use crate::omissions::Omission;
use crate::rounds::CompiledJoin;
use crate::spec::{BracketRule, ExactlyOnceRule, Join, JoinRule, KeyRule, OrderRule, ProcessRule};
use widetui_definition::semantics::MAX_BY;
use widetui_store::source::Source;

/// Result of compiling a join.
enum Compilation {
    /// The join can be computed.
    Ready(CompiledJoin),
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
            inner: 0,
            right_keys: join
                .right_keys()
                .iter()
                .filter_map(|k| self.key(k))
                .collect(),
            participants: None,
            evidence: None,
            only_duplicates: false,
            is_whole: false,
            receivers: join.receivers,
        };
        if compiled_join.right_keys.is_empty() {
            return Some(());
        }
        let compilation = match &join.rule {
            JoinRule::Keys(rule) => self.compile_keys(compiled_join, join, rule)?,
            JoinRule::Bracket(rule) => self.compile_bracket(compiled_join, join, rule)?,
            JoinRule::FirstRecord(rule) => {
                let values = self.first_values(self.compiled.len(), (rule, join), split_files);
                let is_idle = values.is_empty();
                self.first_records.extend(values);
                if is_idle {
                    Compilation::Idle
                } else {
                    Compilation::Ready(compiled_join)
                }
            }
            JoinRule::ConsecutiveRuns(_) => match runs {
                Some(mut runs) => {
                    runs.join_index = self.compiled.len();
                    self.consecutive_runs.push(runs);
                    Compilation::Ready(compiled_join)
                }
                None => Compilation::Idle,
            },
            JoinRule::Extraction(_) => self.compile_extraction(compiled_join, extraction),
        };
        let Compilation::Ready(mut compiled) = compilation else {
            return Some(());
        };
        let variety = |at: &usize| self.distinct_value_bound(compiled.left_keys[*at]);
        let places = 0..compiled.left_keys.len();
        compiled.inner = places.max_by_key(variety).unwrap_or_default();
        self.compiled.push(compiled);
        self.joins.push(join);
        Some(())
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
        if rule.duplicates.is_of_duplicates() && self.snapshot.duplicates.is_empty() {
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
        compiled.left_keys = by;
        compiled.is_whole = !rule.sole_keys.is_empty();
        compiled.only_duplicates = rule.duplicates == Among::DuplicatesByPath;
        if let Some(evidence) = &rule.evidence {
            let evidence = self.cached_events(evidence)?;
            // Without evidence and exclusion the join derives nothing: skip its other conditions.
            if evidence.is_empty() && rule.exactly_once.is_none() {
                return Some(Compilation::Idle);
            }
            compiled.evidence = Some(evidence);
        }
        compiled.participants = self.participants(rule.condition.as_ref(), rule.duplicates)?;
        if let Some(processes) = &rule.processes {
            let Some(life) = self.compile_processes(&mut compiled, join, processes)? else {
                return Some(Compilation::Idle);
            };
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
            let Some(lifetime) = self.lifetime_key(rule, &compiled.left_keys).ok()? else {
                return Some(Compilation::Idle);
            };
            let last = compiled.left_keys.len() - 1;
            compiled.left_keys.insert(last, lifetime);
        }
        if let Some(once) = &rule.exactly_once {
            self.add_exactly_once(join, once, &[])?;
        }
        Some(Compilation::Ready(compiled))
    }

    /// Restricts a join to the evidence of the processes of a rule, and creates the key of their lives; the inner `None` if
    /// there are no such processes or no record besides theirs names one, the outer one when cancelled.
    fn compile_processes(
        &mut self,
        compiled: &mut CompiledJoin,
        join: &'a Join,
        rule: &ProcessRule,
    ) -> Option<Option<KeyId>> {
        let snapshot = self.snapshot;
        let kinds = rule.source_kinds.as_slice();
        let mut own = self.records_of(|source| brackets::applies_to(snapshot, source, join, kinds));
        if let Some(condition) = &rule.condition {
            own.and(&self.cached_events(condition)?);
        }
        if own.is_empty() {
            return Some(None);
        }
        let id_keys: Vec<KeyId> = rule
            .id_keys
            .iter()
            .filter_map(|key| self.key(key))
            .collect();
        let of_system = self.records_of(|source| brackets::applies_to(snapshot, source, join, &[]));
        let ends = match &rule.end {
            Some(end) => Some(self.cached_events(end)?),
            None => None,
        };
        let mut processes = Processes {
            own: &own,
            of_system: &of_system,
            ends: ends.as_ref(),
            are_all_on_one_host: true,
        };
        if !processes.are_named(snapshot, &id_keys) {
            return Some(None);
        }
        if join.left_keys().len() == 1 {
            let mut host_keys = rule.host_keys.iter().filter_map(|key| self.key(key));
            processes.are_all_on_one_host = host_keys.all(|key| has_one_value(snapshot, key));
        }
        let lives = processes.lives(snapshot, &self.duplicated_rows, &id_keys);
        if lives.iter().all(Option::is_none) {
            return Some(None);
        }
        compiled.evidence = Some(own);
        compiled.is_whole = true;
        Some(Some(self.add_virtual_key(lives)))
    }

    /// Pairing by order of the next compiled join; the inner `None` if a key does not occur, the outer one when cancelled.
    fn compile_order(&mut self, rule: &OrderRule) -> Option<Option<Order>> {
        let mut counted = Vec::with_capacity(rule.counted.len());
        for alternative in &rule.counted {
            let mut proof = |expr: &Option<Expr>| match expr {
                Some(expr) => self.cached_events(expr).map(Some),
                None => Some(None),
            };
            let (end, begin) = (proof(&alternative.end)?, proof(&alternative.begin)?);
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

    /// Adds an exactly-once constraint. `kinds` are the kinds of sources whose first report bounds
    /// the time of the execution; empty for all. `None` when cancelled.
    fn add_exactly_once(
        &mut self,
        join: &'a Join,
        rule: &ExactlyOnceRule,
        kinds: &[String],
    ) -> Option<()> {
        let Some(by) = self.keys(&rule.operation_keys) else {
            return Some(());
        };
        if by.len() > MAX_BY {
            self.omissions.push((join, Omission::TooManyOperationKeys));
            return Some(());
        }
        let sources = self.snapshot.sources.iter().map(|s| s.id);
        let applies = |id: &SourceId| brackets::applies_to(self.snapshot, *id, join, kinds);
        let after = match &rule.preceding {
            Some(after) => Some(self.events(after)?),
            None => None,
        };
        self.exactly_once.push(ExactlyOnce {
            join: self.compiled.len(),
            executions: self.events(&rule.condition)?,
            shared_keys: rule
                .shared_keys
                .iter()
                .filter_map(|k| self.key(k))
                .collect(),
            name_keys: { rule.name_keys.as_ref() }
                .and_then(|n| Some((self.key(&n.0)?, self.key(&n.1)?))),
            sequence_key: rule.sequence_key.as_ref().and_then(|k| self.key(k)),
            preceding: after,
            requires_preceding: rule.requires_preceding,
            reporters: match rule.is_first_report {
                true => sources.filter(applies).collect(),
                false => FxHashSet::default(),
            },
            operation_keys: by,
        });
        Some(())
    }

    /// Events that take part: those that fit `condition` and the restriction to duplicates; the inner
    /// `None` means all. `None` when cancelled.
    fn participants(
        &mut self,
        condition: Option<&Expr>,
        duplicates: Among,
    ) -> Option<Option<Selection>> {
        let fit = match condition {
            Some(condition) => Some(self.cached_events(condition)?),
            None => None,
        };
        if duplicates != Among::DuplicatesByRecords {
            return Some(fit);
        }
        let segments = self.snapshot.segments.iter().zip(&self.duplicated_rows);
        let mut duplicated = Selection::new(
            segments
                .map(|(segment, rows)| {
                    let mut bits = Bits::none(segment.len());
                    rows.iter().for_each(|row| bits.set(*row as usize));
                    bits
                })
                .collect(),
        );
        if let Some(fit) = &fit {
            duplicated.and(fit);
        }
        Some(Some(duplicated))
    }

    /// Creates a key with the number of the lifetime of the instance that `by` identifies; `None`
    /// if no record starts a lifetime.
    fn lifetime_key(&mut self, rule: &KeyRule, by: &[KeyId]) -> Result<Option<KeyId>, Cancelled> {
        let Some((opening, closing)) = &rule.lifetime else {
            return Ok(None);
        };
        let opening = self.cached_events(opening).ok_or(Cancelled)?;
        if opening.is_empty() {
            return Ok(None);
        }
        let closing = self.closing_events(closing.as_ref())?;
        let sharing = match rule.duplicates {
            Among::DuplicatesByPath => brackets::ValueSharing::Shared,
            Among::All | Among::DuplicatesByRecords => brackets::ValueSharing::Exclusive,
        };
        let closing = closing.as_ref();
        let lifetimes = brackets::lifetimes(
            self.snapshot,
            &self.duplicated_rows,
            by,
            &opening,
            closing,
            sharing,
        );
        Ok(Some(self.add_virtual_key(lifetimes)))
    }

    /// Compiles a bracket join; `None` when cancelled.
    fn compile_bracket(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &BracketRule,
    ) -> Option<Compilation> {
        if rule.duplicates.is_of_duplicates() && self.snapshot.duplicates.is_empty() {
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
                bracket_start.remove_earlier(self.snapshot, &self.duplicated_rows, &mut spans);
            }
        }
        if rule.duplicates == Among::DuplicatesByPath {
            brackets::merge_duplicates(self.snapshot, &mut spans);
        }
        compiled.participants = self.participants(rule.condition.as_ref(), rule.duplicates)?;
        compiled.left_keys = vec![self.add_virtual_key(spans)];
        compiled.only_duplicates = rule.duplicates == Among::DuplicatesByPath;
        if let Some(once) = &rule.exactly_once {
            self.add_exactly_once(join, once, &rule.source_kinds)?;
        }
        Some(Compilation::Ready(compiled))
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
        let applies = |s| brackets::applies_to(snapshot, s, join, &rule.source_kinds);
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
        Compilation::Ready(compiled)
    }

    /// Events that fit the closing condition, if there is one.
    fn closing_events(&self, closing: Option<&Expr>) -> Result<Option<Selection>, Cancelled> {
        let events = closing.map(|closing| self.events(closing).ok_or(Cancelled));
        events.transpose()
    }
}
