//! What a manager and its workers do and log.

use std::io;

use super::super::sites::{self, Arg};
use super::super::template::expand;
use super::super::write::Below;
use super::{APPS, MS, Manager, SECOND, Simulation, Step};

impl Simulation {
    pub(super) fn manager_up(&mut self, now: u64, number: usize) -> io::Result<()> {
        let Manager {
            id,
            block,
            main,
            communicator,
            monitor,
            ..
        } = self.managers[number];
        let idle = self.managers[number].idle.clone();
        let count = Arg::Int(idle.len() as u64);
        let mut body = Vec::new();
        let uid = format!("{id:012x}");
        expand(
            &mut body,
            sites::MANAGER_BODY,
            &[Arg::Text(&uid), Arg::Int(block), count],
        );
        let body = String::from_utf8_lossy(&body);
        self.say(main, now, &sites::MANAGER_START, &[], Below::Lines(&body))?;
        self.log(main, now, &sites::MANAGER_INIT, &[])?;
        let spawned = self.log(main, now + 300 * MS, &sites::SPAWN, &[count])?;
        for worker in idle {
            let (number, thread) = (self.workers[worker].number, self.workers[worker].thread);
            let up = spawned + self.random.below(200 * MS);
            self.log(thread, up, &sites::WORKER_START, &[Arg::Int(number)])?;
            self.log(thread, up, &sites::WORKER_DEBUG, &[])?;
        }
        self.log(communicator, spawned, &sites::COMMUNICATING, &[])?;
        self.log(
            communicator,
            spawned,
            &sites::NO_CONNECTION,
            &[Arg::Int(54_098)],
        )?;
        let end = self.log(
            communicator,
            spawned + 20 * MS,
            &sites::CONNECTED,
            &[Arg::Int(54_098)],
        )?;
        self.log(monitor, end, &sites::GET_MONITORING, &[])?;
        self.startup = self
            .startup
            .saturating_sub(2 * self.managers[number].idle.len() as u64 + 12);
        self.after(MS, end, Step::Register(number));
        let first = self.random.below(self.heartbeat) + SECOND;
        self.after(first, end, Step::Heartbeat(number));
        Ok(())
    }

    pub(super) fn ready_workers(
        &mut self,
        now: u64,
        number: usize,
        waiting: u64,
    ) -> io::Result<u64> {
        let manager = &self.managers[number];
        let (by, ready) = (manager.communicator, manager.idle.len() as u64);
        self.log(
            by,
            now,
            &sites::READY,
            &[Arg::Int(ready), Arg::Int(waiting)],
        )
    }

    pub(super) fn receive(&mut self, now: u64, number: usize, tasks: &[u64]) -> io::Result<()> {
        let ids: Vec<u64> = tasks
            .iter()
            .filter_map(|id| self.task(*id).map(|t| t.executor_task))
            .collect();
        let manager = &mut self.managers[number];
        manager.received += ids.len() as u64;
        let (by, received) = (manager.communicator, manager.received);
        self.log(
            by,
            now,
            &sites::GOT_TASKS,
            &[Arg::ExecutorTasks(&ids), Arg::Int(received)],
        )?;
        let end = self.ready_workers(now, number, ids.len() as u64)?;
        for task in tasks {
            let manager = &mut self.managers[number];
            let choice = self.random.below(manager.idle.len() as u64) as usize;
            let worker = manager.idle.swap_remove(choice);
            self.within(500, 8 * MS, end, Step::Work(worker, *task));
        }
        Ok(())
    }

    pub(super) fn work(&mut self, now: u64, worker: usize, id: u64) -> io::Result<()> {
        let Some((task, app)) = self.task(id).map(|task| (task.executor_task, task.app)) else {
            return Ok(());
        };
        let (by, manager) = (self.workers[worker].thread, self.workers[worker].manager);
        self.log(by, now, &sites::RECEIVED, &[Arg::ExecutorTask(task)])?;
        let end = self.log(by, now + 3 * MS, &sites::FIRST_MESSAGE, &[])?;
        let duration = self
            .random
            .spread(self.mean_duration * APPS[app].1 / 100)
            .max(10 * MS);
        self.after(MS, end, Step::Monitoring(manager));
        self.after(duration / 2, end, Step::Monitoring(manager));
        self.after(duration, end, Step::Complete(worker, id));
        Ok(())
    }

    pub(super) fn monitoring(&mut self, now: u64, number: usize) -> io::Result<()> {
        let Manager {
            communicator,
            shovel,
            monitor,
            ..
        } = self.managers[number];
        self.log(monitor, now, &sites::GOT_MONITORING, &[])?;
        self.log(monitor, now, &sites::PUT_MONITORING, &[])?;
        let end = self.log(monitor, now, &sites::GET_MONITORING, &[])?;
        self.log(shovel, end, &sites::RESULT_RECEIVED, &[])?;
        let sent = self.log(communicator, end + 60, &sites::RESULT_SENT, &[])?;
        self.ready_workers(sent, number, 0)?;
        self.within(200, 500, sent, Step::ForwardMonitoring(number));
        Ok(())
    }

    pub(super) fn complete(&mut self, now: u64, worker: usize, id: u64) -> io::Result<()> {
        let Some(task) = self.task(id).map(|task| task.executor_task) else {
            return Ok(());
        };
        let (by, manager) = (self.workers[worker].thread, self.workers[worker].manager);
        // The process that watched the app's resources writes into its worker's log, under its own name.
        let pid = 4000 + task % 60_000;
        let wrapper = format!("Monitor-Wrapper-{id}");
        let worker_name = std::mem::replace(&mut self.threads[by].process, wrapper);
        let worker_pid = std::mem::replace(&mut self.threads[by].pid, pid);
        self.log(by, now, &sites::MONITOR_ENDED, &[])?;
        self.threads[by].process = worker_name;
        self.threads[by].pid = worker_pid;
        self.log(by, now + 10 * MS, &sites::LAST_MESSAGE, &[])?;
        self.log(
            by,
            now + 10 * MS,
            &sites::COMPLETED,
            &[Arg::ExecutorTask(task)],
        )?;
        let end = self.log(
            by,
            now + 12 * MS,
            &sites::FINISHED,
            &[Arg::ExecutorTask(task)],
        )?;
        self.after(0, now + 11 * MS, Step::Monitoring(manager));
        self.within(300, MS, end, Step::Return(worker, id));
        Ok(())
    }

    pub(super) fn hand_back(&mut self, now: u64, worker: usize, id: u64) -> io::Result<()> {
        let number = self.workers[worker].manager;
        let (shovel, communicator) = (
            self.managers[number].shovel,
            self.managers[number].communicator,
        );
        let end = self.log(shovel, now, &sites::RESULT_RECEIVED, &[])?;
        self.managers[number].idle.push(worker);
        let sent = self.log(communicator, end + 50, &sites::RESULT_SENT, &[])?;
        self.ready_workers(sent, number, 0)?;
        self.within(200, 500, sent, Step::Collect(number, id));
        Ok(())
    }

    pub(super) fn beat(&mut self, now: u64, number: usize) -> io::Result<()> {
        let by = self.managers[number].communicator;
        self.log(by, now, &sites::NO_TASKS, &[])?;
        self.ready_workers(now, number, 0)?;
        let sent = self.log(by, now, &sites::HEARTBEAT, &[])?;
        self.log(by, sent + 700, &sites::HEARTBEAT_REPLY, &[])?;
        self.ready_workers(now, number, 0)?;
        self.after(300, sent, Step::HeartbeatSeen(number));
        self.after(self.heartbeat, now, Step::Heartbeat(number));
        Ok(())
    }
}
