//! From a join as it was written to one that can be computed: keys and conditions of this run.

use crate::base::cancel::Cancelled;
use crate::base::ids::KeyId;
use crate::query::{Expr, Selection};

use super::again::AgainSaid;
use super::copied::Once;
use super::first::Begun;
use super::leftout::LeftOut;
use super::reading::{Groups, Told};
use super::rounds::CompiledJoin;
use super::spec::{BracketRule, Join, JoinRule, KeyRule};
use super::work::JoinIndex;
use super::{MAX_BY, Widening, threads};

/// What became of a join.
enum Made {
    /// It can be computed.
    Ready(CompiledJoin),
    /// Its keys do not occur in the run, or nothing tells it anything.
    Idle,
}

impl<'a> Widening<'a> {
    /// Makes a join ready, unless its keys do not occur in the run or nothing tells it anything. `None` when cancelled.
    pub(super) fn add(
        &mut self,
        join: &'a Join,
        told: Option<Told<'a>>,
        begun: Option<Begun<'a>>,
        again: Option<AgainSaid>,
    ) -> Option<()> {
        let bare = CompiledJoin {
            index: self.compiled.len() as JoinIndex,
            by: Vec::new(),
            inner: 0,
            gives: join.gives().iter().filter_map(|k| self.key(k)).collect(),
            only: None,
            evidence: None,
            among_copies: false,
        };
        if bare.gives.is_empty() {
            return Some(());
        }
        let made = match &join.rule {
            JoinRule::Keys(rule) => self.by_keys(bare, join, rule)?,
            JoinRule::Bracket(rule) => self.by_bracket(bare, join, rule)?,
            JoinRule::First(rule) => {
                let rule = (rule, join.system.as_deref());
                let said = self.first_said(self.compiled.len(), rule, begun);
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
            self.left_out.push((join, LeftOut::Keys));
            return Some(Made::Idle);
        }
        if rule.among_copies && self.snapshot.copies.is_empty() {
            return Some(Made::Idle);
        }
        compiled.by = by;
        compiled.among_copies = rule.among_copies;
        if let Some(evidence) = &rule.evidence {
            let evidence = self.events(evidence)?;
            // Nothing is known, nor found out by exclusion: then its other conditions need not be asked.
            if evidence.is_empty() && rule.once.is_none() {
                return Some(Made::Idle);
            }
            compiled.evidence = Some(evidence);
        }
        if let Some(only) = &rule.only {
            compiled.only = Some(self.events(only)?);
        }
        if rule.life.is_some() {
            let Some(life) = self.life(rule, &compiled.by).ok()? else {
                return Some(Made::Idle);
            };
            let last = compiled.by.len() - 1;
            compiled.by.insert(last, life);
        }
        if let Some((by, only)) = &rule.once
            && let Some(by) = self.keys(by)
        {
            let only = self.events(only)?;
            let join_at = self.compiled.len();
            match by.len() > MAX_BY {
                true => self.left_out.push((join, LeftOut::Once)),
                false => self.once.push(Once {
                    join: join_at,
                    by,
                    only,
                }),
            }
        }
        Some(Made::Ready(compiled))
    }

    /// A key that tells the lives of the bearers of some keys apart; `None` when no record begins one.
    fn life(&mut self, rule: &KeyRule, by: &[KeyId]) -> Result<Option<KeyId>, Cancelled> {
        let Some((open, close)) = &rule.life else {
            return Ok(None);
        };
        let open = self.events(open).ok_or(Cancelled)?;
        if open.is_empty() {
            return Ok(None);
        }
        let close = self.closing(close.as_ref())?;
        let bearers = match rule.among_copies {
            true => threads::Bearers::Several,
            false => threads::Bearers::One,
        };
        let close = close.as_ref();
        let lives = threads::lives(self.snapshot, &self.copied, by, &open, close, bearers);
        Ok(Some(self.make_key(lives)))
    }

    fn by_bracket(
        &mut self,
        mut compiled: CompiledJoin,
        join: &'a Join,
        rule: &BracketRule,
    ) -> Option<Made> {
        let open = self.events(&rule.open)?;
        if open.is_empty() {
            return Some(Made::Idle);
        }
        let close = self.closing(rule.close.as_ref()).ok()?;
        let system = join.system.as_deref();
        let about = |s| threads::is_about(self.snapshot, s, system, &rule.kinds);
        let writers = self
            .writers
            .get_or_insert_with(|| threads::writers(self.snapshot));
        let close = close.as_ref();
        let spans = threads::brackets(self.snapshot, writers, about, &open, close, rule.stays);
        compiled.by = vec![self.make_key(spans)];
        Some(Made::Ready(compiled))
    }

    fn by_reading(&mut self, mut compiled: CompiledJoin, told: Option<Told<'a>>) -> Made {
        let Some(mut told) = told else {
            return Made::Idle;
        };
        compiled.by = match &mut told.groups_by {
            Groups::Of(key) => vec![*key],
            Groups::Rows(rows) => vec![self.make_key(std::mem::take(rows))],
        };
        compiled.only = told.only.take();
        // What it knows it was told; no event has more to say.
        compiled.evidence = Some(Selection::of(self.snapshot, []));
        self.told.push((self.compiled.len(), told));
        Made::Ready(compiled)
    }

    /// The events that close something, where a rule names some.
    fn closing(&self, close: Option<&Expr>) -> Result<Option<Selection>, Cancelled> {
        let events = close.map(|close| self.events(close).ok_or(Cancelled));
        events.transpose()
    }
}
