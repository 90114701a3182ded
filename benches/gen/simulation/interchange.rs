//! Activity and records of the interchange: tasks queued and sent to managers, results on their way back, registrations.

use std::io;

use super::super::sites::{self, Arg};
use super::{MS, SECOND, START, Simulation, Step};

impl Simulation {
    pub(super) fn enqueue(&mut self, now: u64, id: u64) -> io::Result<()> {
        let Some(task) = self.task(id).map(|task| task.executor_task) else {
            return Ok(());
        };
        let ix = self.interchange;
        self.log(ix, now, &sites::TASK_SECTION, &[])?;
        self.log(ix, now, &sites::PUTTING, &[Arg::ExecutorTask(task)])?;
        let end = self.log(ix, now, &sites::PUT, &[Arg::ExecutorTask(task)])?;
        self.pending.push_back(id);
        self.after(0, end, Step::Dispatch);
        Ok(())
    }

    /// Sends waiting tasks to managers with free workers, drawn at random.
    pub(super) fn dispatch(&mut self, now: u64) -> io::Result<()> {
        let ix = self.interchange;
        if self.pending.is_empty() || self.ready.is_empty() {
            return Ok(());
        }
        let (interesting, total) = (Arg::Int(self.ready.len() as u64), Arg::Int(self.connected));
        self.log(ix, now, &sites::MANAGERS, &[interesting, total])?;
        while !self.pending.is_empty() && !self.ready.is_empty() {
            let place = self.random.below(self.ready.len() as u64) as usize;
            let number = self.ready[place];
            let count = (self.managers[number].free as usize).min(self.pending.len());
            let tasks: Vec<u64> = self.pending.drain(..count).collect();
            let ids: Vec<u64> = tasks
                .iter()
                .filter_map(|id| self.task(*id).map(|t| t.executor_task))
                .collect();
            let manager = &mut self.managers[number];
            manager.free -= count as u64;
            let (id, free) = (Arg::Manager(manager.id), manager.free);
            if free == 0 {
                self.not_ready(number);
            }
            self.log(ix, now, &sites::SENT_TASKS, &[Arg::ExecutorTasks(&ids), id])?;
            let end = match free {
                0 => self.log(ix, now, &sites::SATURATED, &[id])?,
                free => self.log(ix, now, &sites::CAPACITY, &[id, Arg::Int(free)])?,
            };
            self.tell_monitoring(now, number, &ids)?;
            self.within(200, MS, end, Step::Receive(number, tasks));
        }
        self.log(
            ix,
            now,
            &sites::LEAVING_READY,
            &[Arg::Int(self.ready.len() as u64)],
        )?;
        Ok(())
    }

    pub(super) fn not_ready(&mut self, manager: usize) {
        let Some(place) = self.managers[manager].place.take() else {
            return;
        };
        self.ready.swap_remove(place);
        if let Some(moved) = self.ready.get(place) {
            self.managers[*moved].place = Some(place);
        }
    }

    pub(super) fn is_ready(&mut self, manager: usize) {
        if self.managers[manager].place.is_none() {
            self.managers[manager].place = Some(self.ready.len());
            self.ready.push(manager);
        }
    }

    /// The long record of a manager's state. Real runs with monitoring write it at every change, those without never; every fourth
    /// keeps the mean length of a record where it is in large runs.
    pub(super) fn tell_monitoring(
        &mut self,
        now: u64,
        number: usize,
        tasks: &[u64],
    ) -> io::Result<()> {
        if !self.random.one_in(4) {
            return Ok(());
        }
        let manager = &self.managers[number];
        let (start, beat) = (
            format!("{}.1327672", START / SECOND + 12),
            format!("{}.3841455", now / SECOND - 2),
        );
        let uid = format!("{:012x}", manager.id);
        let args = [
            Arg::Int(manager.block),
            Arg::Text(&start),
            Arg::ExecutorTasks(tasks),
            Arg::Int(manager.idle.len() as u64 + tasks.len() as u64),
            Arg::Text(&beat),
            Arg::Text(&uid),
            Arg::Int(100 + number as u64),
        ];
        self.log(self.interchange, now, &sites::MONITOR, &args)?;
        Ok(())
    }

    /// The records around one message from a manager that asks for nothing more.
    pub(super) fn message(&mut self, now: u64, manager: usize, kind: &str) -> io::Result<()> {
        let (ix, id) = (self.interchange, Arg::Manager(self.managers[manager].id));
        self.log(ix, now, &sites::WORKER_SECTION, &[])?;
        self.log(ix, now, &sites::MESSAGE, &[id, Arg::Text(kind)])?;
        self.log(ix, now, &sites::LEAVING_WORKER, &[])?;
        Ok(())
    }

    pub(super) fn collect(&mut self, now: u64, number: usize, id: u64) -> io::Result<()> {
        let Some(task) = self.task(id).map(|task| task.executor_task) else {
            return Ok(());
        };
        let (ix, manager) = (self.interchange, Arg::Manager(self.managers[number].id));
        self.log(ix, now, &sites::WORKER_SECTION, &[])?;
        self.log(ix, now, &sites::MESSAGE, &[manager, Arg::Text("result")])?;
        self.log(
            ix,
            now,
            &sites::REMOVING,
            &[Arg::ExecutorTask(task), manager],
        )?;
        self.log(ix, now, &sites::SENDING_RESULT, &[])?;
        let sent = self.log(ix, now, &sites::SENT_RESULT, &[])?;
        self.tell_monitoring(now, number, &[])?;
        let end = self.log(ix, now, &sites::LEAVING_WORKER, &[])?;
        self.managers[number].free += 1;
        self.is_ready(number);
        self.within(200, 500, sent, Step::Result(id));
        self.after(0, end, Step::Dispatch);
        Ok(())
    }

    pub(super) fn register(&mut self, now: u64, number: usize) -> io::Result<()> {
        let ix = self.interchange;
        let manager = &self.managers[number];
        let (id, uid) = (Arg::Manager(manager.id), format!("{:012x}", manager.id));
        let start = format!("{}.4166932", START / SECOND + 12);
        let args = [
            id,
            Arg::Int(manager.block),
            Arg::Int(manager.idle.len() as u64),
            Arg::Text(&uid),
            Arg::Text(&start),
            Arg::Int(100 + number as u64),
        ];
        self.log(ix, now, &sites::WORKER_SECTION, &[])?;
        self.log(ix, now, &sites::MESSAGE, &[id, Arg::Text("registration")])?;
        self.log(ix, now, &sites::REGISTRATION, &args)?;
        self.log(ix, now, &sites::REGISTERED, &[id])?;
        let end = self.log(ix, now, &sites::LEAVING_WORKER, &[])?;
        self.connected += 1;
        self.is_ready(number);
        self.after(0, end, Step::Dispatch);
        Ok(())
    }

    pub(super) fn command(&mut self, now: u64) -> io::Result<()> {
        let (ix, blocks) = (self.interchange, format!("[{}]", self.blocks));
        self.log(ix, now, &sites::COMMAND_SECTION, &[])?;
        self.log(ix, now, &sites::COMMAND, &[Arg::Text("CONNECTED_BLOCKS")])?;
        self.log(ix, now, &sites::REPLY, &[Arg::Text(&blocks)])?;
        self.after(5 * SECOND, now, Step::Command);
        Ok(())
    }
}
