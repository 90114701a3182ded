//! Compilation of joins against one snapshot: resolves keys and evaluates conditions.

use rustc_hash::FxHashSet;

use widetui_core::cancel::Cancelled;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_definition::meaning::Among;
use widetui_query::bits::Bits;
use widetui_query::{Expr, Selection};
use widetui_store::Snapshot;

use crate::exactly_once::executions::Once;
use crate::omissions::Omission;
use crate::reading::{Groups, SecondReading};
use crate::rounds::CompiledJoin;
use crate::spec::{BracketRule, Join, JoinRule, KeyRule, OnceRule};
use crate::widening::bracket_start::BracketStart;
use crate::widening::consecutive_runs::RunsInLogs;
use crate::widening::first_records::SplitFiles;
use crate::widening::{Widening, brackets};
use crate::work::JoinIndex;
use widetui_definition::meaning::MAX_BY;

/// Result of compiling a join.
enum Made {
    /// The join can be computed.
    Ready(CompiledJoin),
    /// The keys of the join do not occur in the run, or it has no evidence.
    Idle,
}

impl<'a> Widening<'a> {
    /// Compiles a join and adds it, unless its keys do not occur in the run or it has no evidence.
    /// `None` when cancelled.
    pub(crate) fn add(
        &mut self,
        join: &'a Join,
        told: Option<SecondReading<'a>>,
        begun: Option<SplitFiles<'a>>,
        again: Option<RunsInLogs>,
    ) -> Option<()> {
        let bare = CompiledJoin {
            index: self.compiled.len() as JoinIndex,
            by: Vec::new(),
            inner: 0,
            gives: join.gives().iter().filter_map(|k| self.key(k)).collect(),
            only: None,
            evidence: None,
            among_copies: false,
            receivers: join.receivers,
        };
        if bare.gives.is_empty() {
            return Some(());
        }
        let made = match &join.rule {
            JoinRule::Keys(rule) => self.by_keys(bare, join, rule)?,
            JoinRule::Bracket(rule) => self.by_bracket(bare, join, rule)?,
            JoinRule::First(rule) => {
                let said = self.first_said(self.compiled.len(), (rule, join), begun);
                let is_idle = said.is_empty();
                self.first.extend(said);
                if is_idle {
                    Made::Idle
                } else {
                    Made::Ready(bare)
                }
            }
            JoinRule::Again(_) => match again {
                Some(mut said) => {
                    said.index = self.compiled.len();
                    self.again.push(said);
                    Made::Ready(bare)
                }
                None => Made::Idle,
            },
            JoinRule::Reading(_) => self.by_reading(bare, told),
        };
        let Made::Ready(mut compiled) = made else {
            return Some(());
        };
        let variety = |at: &usize| self.variety(compiled.by[*at]);
        let places = 0..compiled.by.len();
        compiled.inner = places.max_by_key(variety).unwrap_or_default();
        self.compiled.push(compiled);
        self.joins.push(join);
        Some(())
    }

    fn by_keys(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &KeyRule,
    ) -> Option<Made> {
        let by = self.keys(&rule.by).filter(|by| !by.is_empty());
        let Some(mut by) = by else {
            return Some(Made::Idle);
        };
        let within = rule.within.as_ref().and_then(|name| self.key(name));
        by.splice(0..0, within);
        if by.len() > MAX_BY {
            self.left_out.push((join, Omission::Keys));
            return Some(Made::Idle);
        }
        if rule.among.is_of_copies() && self.snapshot.copies.is_empty() {
            return Some(Made::Idle);
        }
        compiled.by = by;
        compiled.among_copies = rule.among == Among::Copies;
        if let Some(evidence) = &rule.evidence {
            let evidence = self.events_asked(evidence)?;
            // Without evidence and exclusion the join derives nothing: skip its other conditions.
            if evidence.is_empty() && rule.once.is_none() {
                return Some(Made::Idle);
            }
            compiled.evidence = Some(evidence);
        }
        compiled.only = self.only(rule.only.as_ref(), rule.among)?;
        if rule.life.is_some() {
            let Some(life) = self.life(rule, &compiled.by).ok()? else {
                return Some(Made::Idle);
            };
            let last = compiled.by.len() - 1;
            compiled.by.insert(last, life);
        }
        if let Some(once) = &rule.once {
            self.add_once(join, once, &[])?;
        }
        Some(Made::Ready(compiled))
    }

    /// Adds an exactly-once constraint. If the rule names no clocks, `kinds` are the kinds of
    /// sources whose first report bounds the time of the execution; empty for all. `None` when
    /// cancelled.
    fn add_once(&mut self, join: &'a Join, rule: &OnceRule, kinds: &[String]) -> Option<()> {
        let Some(by) = self.keys(&rule.by) else {
            return Some(());
        };
        if by.len() > MAX_BY {
            self.left_out.push((join, Omission::Once));
            return Some(());
        }
        let sources = self.snapshot.sources.iter().map(|s| s.id);
        let clocks = match rule.clocks.is_empty() {
            true => kinds,
            false => &rule.clocks,
        };
        let about = |id: &SourceId| brackets::is_about(self.snapshot, *id, join, clocks);
        let after = match &rule.after {
            Some(after) => Some(self.events(after)?),
            None => None,
        };
        self.once.push(Once {
            join: self.compiled.len(),
            only: self.events(&rule.only)?,
            alike: rule.alike.iter().filter_map(|k| self.key(k)).collect(),
            named: { rule.named.as_ref() }.and_then(|n| Some((self.key(&n.0)?, self.key(&n.1)?))),
            ascending: rule.ascending.as_ref().and_then(|k| self.key(k)),
            counted: rule.counted,
            after,
            needed: rule.needed,
            tellers: match rule.begins {
                true => sources.filter(about).collect(),
                false => FxHashSet::default(),
            },
            by,
        });
        Some(())
    }

    /// Events that take part: those that fit `only` and the restriction to duplicates; the inner
    /// `None` means all. `None` when cancelled.
    fn only(&mut self, only: Option<&Expr>, among: Among) -> Option<Option<Selection>> {
        let fit = match only {
            Some(only) => Some(self.events_asked(only)?),
            None => None,
        };
        if among != Among::Copied {
            return Some(fit);
        }
        let segments = self.snapshot.segments.iter().zip(&self.copied);
        let mut copied = Selection::new(
            segments
                .map(|(segment, rows)| {
                    let mut bits = Bits::none(segment.len());
                    rows.iter().for_each(|row| bits.set(*row as usize));
                    bits
                })
                .collect(),
        );
        if let Some(fit) = &fit {
            copied.and(fit);
        }
        Some(Some(copied))
    }

    /// Creates a key with the number of the lifetime of the instance that `by` identifies; `None`
    /// if no record starts a lifetime.
    fn life(&mut self, rule: &KeyRule, by: &[KeyId]) -> Result<Option<KeyId>, Cancelled> {
        let Some((open, close)) = &rule.life else {
            return Ok(None);
        };
        let open = self.events_asked(open).ok_or(Cancelled)?;
        if open.is_empty() {
            return Ok(None);
        }
        let close = self.closing(close.as_ref())?;
        let bearers = match rule.among {
            Among::Copies => brackets::Bearers::Several,
            Among::All | Among::Copied => brackets::Bearers::One,
        };
        let close = close.as_ref();
        let lives = brackets::lives(self.snapshot, &self.copied, by, &open, close, bearers);
        Ok(Some(self.make_key(lives)))
    }

    fn by_bracket(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &BracketRule,
    ) -> Option<Made> {
        if rule.among.is_of_copies() && self.snapshot.copies.is_empty() {
            return Some(Made::Idle);
        }
        let open = self.events_asked(&rule.open)?;
        if open.is_empty() {
            return Some(Made::Idle);
        }
        let mut close = self.closing(rule.close.as_ref()).ok()?;
        if let Some(other) = &rule.outside {
            let other_open = self.events(&other.open)?;
            let other_close = self.closing(other.close.as_ref()).ok()?;
            let spans = self.spans(join, other, &other_open, other_close.as_ref());
            let mut outside = bracketed(self.snapshot, &spans);
            if let Some(close) = &mut close {
                close.and_not(&outside);
            }
            outside.invert();
            compiled.evidence = Some(outside);
        }
        let mut spans = self.spans(join, rule, &open, close.as_ref());
        if let (Some((since, named)), Some(key)) = (&rule.since, compiled.gives.first()) {
            let since = self.events(since)?;
            if let Some(named) = self.key(named) {
                let began = BracketStart {
                    given: *key,
                    evidence: compiled.evidence.as_ref(),
                    since: &since,
                    named,
                };
                began.cut(self.snapshot, &self.copied, &mut spans);
            }
        }
        if rule.among == Among::Copies {
            brackets::unite_copies(self.snapshot, &mut spans);
        }
        compiled.only = self.only(rule.only.as_ref(), rule.among)?;
        compiled.by = vec![self.make_key(spans)];
        compiled.among_copies = rule.among == Among::Copies;
        if let Some(once) = &rule.once {
            self.add_once(join, once, &rule.kinds)?;
        }
        Some(Made::Ready(compiled))
    }

    /// Number of the bracket of each record, by segment.
    fn spans(
        &mut self,
        join: &Join,
        rule: &BracketRule,
        open: &Selection,
        close: Option<&Selection>,
    ) -> Vec<Option<Box<[Code]>>> {
        let snapshot = self.snapshot;
        let about = |s| brackets::is_about(snapshot, s, join, &rule.kinds);
        let writers = self
            .writers
            .get_or_insert_with(|| brackets::writers(snapshot));
        brackets::brackets(snapshot, writers, about, open, close, rule.stays)
    }

    fn by_reading(&mut self, mut compiled: CompiledJoin, told: Option<SecondReading<'a>>) -> Made {
        let Some(mut told) = told else {
            return Made::Idle;
        };
        compiled.by = match &mut told.groups_by {
            Groups::Of(key) => vec![*key],
            Groups::Rows(rows) => vec![self.make_key(std::mem::take(rows))],
        };
        compiled.only = told.only.take();
        // The values of the groups are known beforehand; events add no evidence.
        compiled.evidence = Some(Selection::of(self.snapshot, []));
        self.told.push((self.compiled.len(), told));
        Made::Ready(compiled)
    }

    /// Events that fit the closing condition, if there is one.
    fn closing(&self, close: Option<&Expr>) -> Result<Option<Selection>, Cancelled> {
        let events = close.map(|close| self.events(close).ok_or(Cancelled));
        events.transpose()
    }
}

/// Records inside any bracket.
fn bracketed(snapshot: &Snapshot, spans: &[Option<Box<[Code]>>]) -> Selection {
    let segments = snapshot.segments.iter().zip(spans);
    let inside = segments.map(|(segment, codes)| match codes {
        Some(codes) => Bits::of(codes, |code| *code != NONE),
        None => Bits::none(segment.len()),
    });
    Selection::new(inside.collect())
}
