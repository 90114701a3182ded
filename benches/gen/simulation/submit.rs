//! What the submit process does and logs: a task from its submission to its end, scaling, the clean-up.

use std::io;

use super::super::sites::{self, Arg};
use super::super::template::expand;
use super::super::write::Below;
use super::{
    APPS, EXCEPTIONS, Fate, LABEL, MS, PROBE, Progress, RECORDS_PER_TASK, RETRIES, SECOND, START,
    Simulation, Step, Task,
};

impl Simulation {
    pub(super) fn submit(&mut self, now: u64) -> io::Result<()> {
        let to_come = self.unfinished * RECORDS_PER_TASK * 4 / 5 + self.startup;
        if self.records + to_come >= self.target && self.submitted > 0 {
            self.finished_submitting = true;
            return Ok(());
        }
        let window = 2 * self.workers.len() as u64 + 64;
        if self.unfinished >= window || self.tasks.len() as u64 >= 8 * window {
            self.blocked = true;
            return Ok(());
        }
        let id = self.submitted;
        self.submitted += 1;
        self.unfinished += 1;
        let dependencies = self.draw_dependencies(id);
        let fate = match self.random.below(1000) {
            0..=41 => Fate::Fails,
            42..=91 => Fate::SucceedsOnRetry,
            _ => Fate::Succeeds,
        };
        let app = self.random.below(APPS.len() as u64) as usize;
        for dependency in &dependencies {
            if let Some(task) = self.task(*dependency) {
                task.dependents.push(id);
            }
        }
        self.tasks.push_back(Task {
            fate,
            progress: Progress::Waiting,
            app,
            tries: 0,
            executor_task: 0,
            open_dependencies: dependencies.len() as u64,
            dependency_failed: false,
            dependents: Vec::new(),
        });

        let (main, task, name) = (self.main, Arg::Task(id), Arg::Text(APPS[app].0));
        self.log(
            main,
            now,
            &sites::WILL_BE_SENT,
            &[task, Arg::Executor(LABEL)],
        )?;
        self.log(main, now, &sites::ADDING_OUTPUTS, &[])?;
        self.log(main, now, &sites::ADDED_OUTPUTS, &[])?;
        self.log(main, now, &sites::GATHERING, &[])?;
        self.log(main, now, &sites::GATHERED, &[])?;
        for dependency in &dependencies {
            self.log(
                main,
                now,
                &sites::DEPENDS,
                &[task, Arg::Dependency(*dependency)],
            )?;
        }
        match dependencies[..] {
            [] => self.log(main, now, &sites::SUBMITTED, &[task, name])?,
            [one] => self.log(
                main,
                now,
                &sites::SUBMITTED_1,
                &[task, name, Arg::Dependency(one)],
            )?,
            [one, two, ..] => {
                let args = [task, name, Arg::Dependency(one), Arg::Dependency(two)];
                self.log(main, now, &sites::SUBMITTED_2, &args)?
            }
        };
        let future = 0x7f09_1000_0000 + (self.random.below(1 << 20) << 4);
        self.log(main, now, &sites::FUTURE, &[task, Arg::Pointer(future)])?;
        let end = self.log(main, now, &sites::TO_PENDING, &[task])?;
        self.within(100, MS, end, Step::Attempt(id));
        self.within(2 * MS, 4 * MS, end, Step::Submit);
        Ok(())
    }

    /// Up to two tasks that have not ended yet, among those submitted shortly before.
    pub(super) fn draw_dependencies(&mut self, id: u64) -> Vec<u64> {
        let wanted = match self.random.below(100) {
            0..=54 => 0,
            55..=84 => 1,
            _ => 2,
        };
        let mut found = Vec::with_capacity(wanted);
        for _ in 0..wanted {
            let candidate = id.wrapping_sub(1 + self.random.below(24));
            if candidate < id
                && !found.contains(&candidate)
                && self
                    .task(candidate)
                    .is_some_and(|task| task.progress != Progress::Ended)
            {
                found.push(candidate);
            }
        }
        found.sort_unstable();
        found
    }

    pub(super) fn attempt(&mut self, now: u64, id: u64) -> io::Result<()> {
        let (launcher, arg) = (self.launcher, Arg::Task(id));
        let Some(task) = self
            .task(id)
            .filter(|task| task.progress == Progress::Waiting)
        else {
            return Ok(());
        };
        if task.open_dependencies > 0 {
            self.log(launcher, now, &sites::SKIPPING, &[arg])?;
            self.log(launcher, now, &sites::LAUNCH_ENDED, &[])?;
            return Ok(());
        }
        if task.dependency_failed {
            self.log(launcher, now, &sites::DEP_FAILED, &[arg])?;
            self.log(launcher, now, &sites::DEP_SKIPS, &[arg])?;
            let end = self.log(launcher, now, &sites::TO_DEP_FAIL, &[arg])?;
            self.log(launcher, now, &sites::LAUNCH_ENDED, &[])?;
            self.states[2].1 += 1;
            self.end_task(end, id, true);
            return Ok(());
        }
        task.progress = Progress::Launched;
        let app = task.app;
        self.executor_tasks += 1;
        let executor_task = self.executor_tasks;
        if let Some(task) = self.task(id) {
            task.executor_task = executor_task;
        }
        if id == PROBE {
            self.probe_executor_tasks.push(executor_task);
        }
        self.log(launcher, now, &sites::NOT_MEMOIZED, &[arg])?;
        let fraction = self.random.below(1000);
        let args = [
            Arg::Text(APPS[app].0),
            Arg::Pointer(0x7f09_111d_c9a0 + 0x1_1000 * app as u64),
            Arg::Int(id % 9),
            Arg::Int(id / 4),
            Arg::Int(fraction),
        ];
        self.log(launcher, now, &sites::PUSHING, &args)?;
        let end = self.log(launcher, now, &sites::SENDING_TASK, &[])?;
        let took = 300 + self.random.below(2 * MS);
        self.after(took, end, Step::Launched(id));
        // The interchange may be faster than the submit process's own next record.
        self.within(took, 400, end, Step::Enqueue(id));
        // The launch pool has one thread: it serves no other task before it is done with this one.
        self.threads[launcher].clock = end + took - 40;
        Ok(())
    }

    pub(super) fn launched(&mut self, now: u64, id: u64) -> io::Result<()> {
        let (launcher, arg) = (self.launcher, Arg::Task(id));
        let Some((tries, executor_task)) =
            self.task(id).map(|task| (task.tries, task.executor_task))
        else {
            return Ok(());
        };
        self.log(launcher, now, &sites::SENT_TASK, &[])?;
        self.log(launcher, now, &sites::TO_LAUNCHED, &[arg])?;
        let args = [
            arg,
            Arg::Try(tries),
            Arg::Executor(LABEL),
            Arg::ExecutorId(executor_task),
        ];
        self.log(launcher, now, &sites::LAUNCHED, &args)?;
        self.log(launcher, now, &sites::STDOUT, &[arg])?;
        self.log(launcher, now, &sites::STDERR, &[arg])?;
        self.log(launcher, now, &sites::LAUNCH_ENDED, &[])?;
        Ok(())
    }

    pub(super) fn result(&mut self, now: u64, id: u64) -> io::Result<()> {
        let (by, arg) = (self.results, Arg::Task(id));
        let Some((fate, tries, app)) = self.task(id).map(|t| (t.fate, t.tries, t.app)) else {
            return Ok(());
        };
        self.log(by, now, &sites::RESULT, &[])?;
        let fails = match fate {
            Fate::Succeeds => false,
            Fate::SucceedsOnRetry => tries == 0,
            Fate::Fails => true,
        };
        let exception = EXCEPTIONS[(id % EXCEPTIONS.len() as u64) as usize];
        if fails {
            self.log(by, now, &sites::RERAISING, &[Arg::Text(exception)])?;
            self.log(
                by,
                now,
                &sites::TRY_FAILED,
                &[arg, Arg::Try(tries), Arg::Text(exception)],
            )?;
        }
        let retry = fails && tries < RETRIES;
        if fails && !retry {
            let mut lines = Vec::new();
            expand(
                &mut lines,
                sites::TRACEBACK,
                &[
                    Arg::Int(id / 4),
                    Arg::Text(exception),
                    Arg::Text(APPS[app].0),
                ],
            );
            let lines = String::from_utf8_lossy(&lines);
            self.say(
                by,
                now,
                &sites::FAILED,
                &[arg, Arg::Int(RETRIES)],
                Below::Traceback(&lines),
            )?;
        }
        if !retry {
            let warns = self.random.one_in(4);
            let site = if warns {
                &sites::NEVER_CHECKPOINT
            } else {
                &sites::NO_CHECKPOINT
            };
            self.log(by, now, site, &[])?;
        }
        match (fails, retry) {
            (false, _) => {
                self.log(by, now, &sites::TO_DONE, &[arg])?;
            }
            (true, true) => {
                self.log(by, now, &sites::TO_RETRYABLE, &[arg])?;
                self.log(by, now, &sites::TO_PENDING_AGAIN, &[arg])?;
            }
            (true, false) => {
                self.log(by, now, &sites::TO_FAILED, &[arg])?;
            }
        }
        self.log(by, now, &sites::STDOUT, &[arg])?;
        let end = self.log(by, now, &sites::STDERR, &[arg])?;
        if retry {
            if let Some(task) = self.task(id) {
                task.tries += 1;
                task.progress = Progress::Waiting;
            }
            self.within(100, MS, end, Step::Attempt(id));
        } else {
            self.states[usize::from(fails)].1 += 1;
            self.end_task(end, id, fails);
        }
        Ok(())
    }

    /// Marks a task ended, frees those that waited for it, and forgets what nobody can refer to any more.
    pub(super) fn end_task(&mut self, now: u64, id: u64, failed: bool) {
        self.unfinished -= 1;
        let dependents = self.task(id).map_or_else(Vec::new, |task| {
            task.progress = Progress::Ended;
            std::mem::take(&mut task.dependents)
        });
        for dependent in dependents {
            let ready = self.task(dependent).is_some_and(|task| {
                task.dependency_failed |= failed;
                task.open_dependencies -= 1;
                task.open_dependencies == 0
            });
            if ready {
                self.within(100, 300, now, Step::Attempt(dependent));
            }
        }
        while self
            .tasks
            .front()
            .is_some_and(|task| task.progress == Progress::Ended)
        {
            self.tasks.pop_front();
            self.first_task += 1;
        }
        if std::mem::take(&mut self.blocked) {
            self.within(500, MS, now, Step::Submit);
        }
    }

    pub(super) fn strategy(&mut self, now: u64) -> io::Result<()> {
        let (by, label) = (self.poller, Arg::Executor(LABEL));
        let slots = self.connected * self.workers.len() as u64 / self.managers.len() as u64;
        let number: u64 = 0x7f00_0000_0000 + self.threads[by].id % 977;
        self.log(by, now, &sites::STRATEGY_START, &[])?;
        self.log(by, now, &sites::STRATEGIZING, &[label])?;
        let running = Arg::Int(self.block_count);
        let args = [
            label,
            Arg::Int(self.unfinished),
            Arg::Int(slots),
            running,
            Arg::Int(0),
        ];
        self.log(by, now, &sites::STRATEGY_SLOTS, &args)?;
        self.log(by, now, &sites::STRATEGY_CASE, &[label, running])?;
        self.log(by, now, &sites::STRATEGY_ENDED, &[Arg::Int(number)])?;
        self.after(5 * SECOND, now, Step::Strategy);
        Ok(())
    }

    pub(super) fn clean_up(&mut self) -> io::Result<()> {
        let main = self.main;
        let now = self
            .threads
            .iter()
            .map(|thread| thread.clock)
            .max()
            .unwrap_or(START)
            + 20 * MS;
        for (state, count) in self.states {
            self.log(
                main,
                now,
                &sites::TASKS_IN_STATE,
                &[Arg::Text(state), Arg::Int(count)],
            )?;
        }
        self.log(main, now, &sites::CLEANUP, &[])?;
        Ok(())
    }
}
