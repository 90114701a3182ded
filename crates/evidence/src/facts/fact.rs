//! Facts: what records show, with their strength.

use widetui_core::quantity::Dimension;
use widetui_definition::semantics::Severity;

use crate::actors::{InstanceIndex, RecordIndex};

/// Statement about instances.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Instances that stopped where others of their class went on.
    LeftCourse {
        /// Template of the step that others reached.
        missing: u32,
        /// Number of others that reached it.
        reached: u32,
        /// Number of instances.
        of: u32,
    },
    /// No instance of the class went on after a step.
    NoneWentOn {
        /// Number of instances.
        of: u32,
        /// Time since the last of them, s.
        seconds: f64,
    },
    /// A count that stays below its total.
    Short {
        /// Count.
        count: u64,
        /// Total.
        total: u64,
        /// Instances that are missing, by class and number, if these are known and have no record.
        absent: Option<(u32, u64)>,
    },
    /// A step takes longer for one instance, or at one place, than elsewhere.
    Slow {
        /// Median of the slow ones, s.
        seconds: f64,
        /// Median of the others, s.
        usual: f64,
        /// Number of slow steps.
        times: u32,
        /// Number of other steps.
        others: u32,
    },
    /// A resource that was taken and not given back, while others wait for it.
    Holds {
        /// Number of times it was taken and given back.
        turns: u32,
    },
    /// Instances that wait for each other.
    Cycle,
    /// Others wait for an instance.
    Awaited,
    /// A log ends with a wait.
    EndsWaiting,
    /// A name that is written and never read, or the reverse.
    Unread {
        /// Most similar name elsewhere, if it is a spelling of the same.
        similar: Option<InstanceIndex>,
        /// Number of names that are both.
        others: u32,
    },
    /// A number unlike those of the others.
    Odd {
        /// Number.
        value: f64,
        /// Range of the others.
        others: (f64, f64),
        /// Number of others.
        of: u32,
    },
    /// A log or a step that all others have.
    Absent {
        /// Number of others that have it.
        of: u32,
    },
    /// An instance that the failed share and the others do not have.
    Contrast {
        /// Number of failed ones that have it.
        failed: u32,
        /// Number of failed ones.
        of: u32,
        /// Number of others that have it.
        others: u32,
    },
    /// Two values of what should be one: a version, a path, a setting.
    Differs,
    /// A number that only grows.
    Trend {
        /// First value.
        first: f64,
        /// Last value.
        last: f64,
        /// Number of values.
        times: u32,
        /// Limit that is named.
        limit: Option<f64>,
    },
    /// A limit below what is needed.
    Limit {
        /// Dimension of both, if their units are stated.
        dimension: Option<Dimension>,
        /// Limit.
        limit: f64,
        /// Need.
        need: f64,
        /// Number of times that the need exceeds it.
        times: u32,
    },
    /// Two processes write one log.
    SecondWriter,
    /// A process was ended from outside.
    Killed,
    /// An exception.
    Exception,
    /// A record that states a reason.
    Reason,
    /// A record that reports a failure.
    Error,
    /// A warning.
    Warning,
    /// A deviation below the level of warnings.
    Quiet,
    /// The user interrupted the run.
    Interrupt,
    /// Nothing is written by anybody for a while.
    Silence {
        /// Duration, s.
        seconds: f64,
    },
    /// A clock that steps.
    ClockStep {
        /// Step, s.
        seconds: f64,
    },
    /// An instance that begins again and again.
    Restarts {
        /// Number of starts.
        times: u32,
    },
    /// A message that a definition explains.
    Explained {
        /// Index of the explanation.
        hint: usize,
        /// Severity that the definition states.
        severity: Severity,
    },
    /// Work that failed, as its owner reports.
    Failed {
        /// Label that all of it shares, such as the name of a function.
        label: Option<String>,
        /// Reason that its records state: an exception, or the values of keys.
        reason: Option<String>,
        /// Number of work items that failed because they depended on it.
        dependents: u32,
    },
    /// A resource that its owner lost.
    Lost,
    /// Work that began and has not ended.
    Unfinished {
        /// Index of the first unfinished item.
        item: usize,
    },
    /// A run whose owner stopped without ending it.
    Stopped {
        /// Index of the stop among those of all runs.
        stop: usize,
    },
    /// A source that could not be read to its end.
    Truncated {
        /// Index of the source among the truncated ones.
        cut: usize,
        /// True if it is the log of the owner of a run.
        is_main: bool,
    },
}

impl Statement {
    /// True if instances stopped where others, or earlier steps, went on.
    pub fn is_left(&self) -> bool {
        matches!(
            self,
            Statement::LeftCourse { .. } | Statement::NoneWentOn { .. } | Statement::EndsWaiting
        )
    }

    /// True if something waits, or stopped on its way.
    pub fn is_standstill(&self) -> bool {
        self.is_open()
            || matches!(
                self,
                Statement::Holds { .. } | Statement::Cycle | Statement::Awaited
            )
    }

    /// True for an event or a state from which others follow; a deviation may as well be an effect.
    pub(crate) fn can_cause(&self) -> bool {
        let is_mild = matches!(
            self,
            Statement::Differs
                | Statement::Warning
                | Statement::Quiet
                | Statement::ClockStep { .. }
        );
        !(is_mild || self.is_symptom() || self.is_contrast() && *self != Statement::SecondWriter)
    }

    /// True for an outcome of work that definitions know.
    pub fn is_outcome(&self) -> bool {
        matches!(
            self,
            Statement::Failed { .. } | Statement::Unfinished { .. } | Statement::Lost
        )
    }

    /// True for a deviation that may as well be an effect of what goes wrong: something is late, missing or repeated.
    pub fn is_symptom(&self) -> bool {
        self.is_left()
            || matches!(
                self,
                Statement::Slow { .. }
                    | Statement::Trend { .. }
                    | Statement::Absent { .. }
                    | Statement::Contrast { .. }
                    | Statement::Odd { .. }
                    | Statement::Short { .. }
                    | Statement::Restarts { .. }
                    | Statement::Silence { .. }
            )
    }

    /// True if a record reports the problem in so many words.
    pub fn is_reported(&self) -> bool {
        matches!(
            self,
            Statement::Exception | Statement::Reason | Statement::Error | Statement::Failed { .. }
        )
    }

    /// True if an end is missing.
    pub fn is_open(&self) -> bool {
        self.is_left()
            || matches!(
                self,
                Statement::Unfinished { .. } | Statement::Stopped { .. }
            )
    }

    /// True if an instance differs from its like.
    pub fn is_contrast(&self) -> bool {
        matches!(
            self,
            Statement::Slow { .. }
                | Statement::Trend { .. }
                | Statement::Odd { .. }
                | Statement::Absent { .. }
                | Statement::Contrast { .. }
                | Statement::Unread { .. }
                | Statement::SecondWriter
        )
    }

    /// True if a definition knows the fact.
    pub fn is_known(&self) -> bool {
        matches!(
            self,
            Statement::Explained { .. }
                | Statement::Failed { .. }
                | Statement::Lost
                | Statement::Unfinished { .. }
                | Statement::Stopped { .. }
                | Statement::Truncated { .. }
        )
    }

    /// True if the fact says more than any words of its records.
    pub fn is_explanation(&self) -> bool {
        self.is_known() && !matches!(self, Statement::Failed { .. })
    }

    /// Name of the kind, as in the data.
    pub fn name(&self) -> &'static str {
        match self {
            Statement::LeftCourse { .. }
            | Statement::NoneWentOn { .. }
            | Statement::EndsWaiting => "left",
            Statement::Short { .. } => "short",
            Statement::Slow { .. } => "slow",
            Statement::Holds { .. } => "holds",
            Statement::Cycle => "cycle",
            Statement::Awaited => "waits_for",
            Statement::Unread { .. } => "unread",
            Statement::Odd { .. } | Statement::Differs => "odd",
            Statement::Absent { .. } => "absent",
            Statement::Contrast { .. } => "contrast",
            Statement::Trend { .. } => "trend",
            Statement::Limit { .. } => "limit",
            Statement::SecondWriter => "second_writer",
            Statement::Killed => "killed",
            Statement::Exception => "exception",
            Statement::Reason => "reason",
            Statement::Error => "error",
            Statement::Warning => "warning",
            Statement::Quiet => "quiet",
            Statement::Interrupt => "interrupt",
            Statement::Silence { .. } => "silence",
            Statement::ClockStep { .. } => "clock",
            Statement::Restarts { .. } => "restarts",
            Statement::Explained { .. } => "explained",
            Statement::Failed { .. } => "failed",
            Statement::Lost => "lost",
            Statement::Unfinished { .. } => "unfinished",
            Statement::Stopped { .. } => "stopped",
            Statement::Truncated { .. } => "truncated",
        }
    }
}

/// Fact with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Statement.
    pub statement: Statement,
    /// Instance that it is about.
    pub subject: Option<InstanceIndex>,
    /// Instances that it concerns, the subject included.
    pub instances: Vec<InstanceIndex>,
    /// Instances that suffer from it.
    pub affected: Vec<InstanceIndex>,
    /// Strength from 0 to 1.
    pub strength: f64,
    /// Records, the one that shows the fact first.
    pub records: Vec<RecordIndex>,
    /// First time, s.
    pub time: Option<f64>,
    /// Number of cases.
    pub count: u32,
    /// True for an outcome that nobody wants.
    pub is_bad: bool,
    /// Share of the cases that came right later.
    pub recovered: f64,
}

impl Fact {
    /// Fact without evidence.
    pub fn new(statement: Statement, strength: f64) -> Fact {
        Fact {
            statement,
            subject: None,
            instances: Vec::new(),
            affected: Vec::new(),
            strength: strength.clamp(0.01, 1.0),
            records: Vec::new(),
            time: None,
            count: 1,
            is_bad: false,
            recovered: 0.0,
        }
    }

    /// Sets the instances; the first is the subject.
    #[must_use]
    pub fn about(mut self, instances: impl IntoIterator<Item = InstanceIndex>) -> Fact {
        for i in instances {
            if !self.instances.contains(&i) {
                self.instances.push(i);
            }
        }
        self.subject = self.subject.or(self.instances.first().copied());
        self
    }

    /// Sets the records, the telling one first.
    #[must_use]
    pub fn shown_by(mut self, records: impl IntoIterator<Item = RecordIndex>) -> Fact {
        for r in records {
            if !self.records.contains(&r) {
                self.records.push(r);
            }
        }
        self
    }

    /// Makes it an outcome that nobody wants.
    #[must_use]
    pub fn bad(mut self) -> Fact {
        self.is_bad = true;
        self
    }

    /// Sets the instances that suffer from it.
    #[must_use]
    pub fn affecting(mut self, instances: impl IntoIterator<Item = InstanceIndex>) -> Fact {
        self.affected = instances.into_iter().collect();
        self
    }
}
