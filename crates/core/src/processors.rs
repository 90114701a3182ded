//! Processor affinity of threads.
//!
//! Linux likes to wake a thread on the processor of the thread that wakes it. On virtual machines, whose idle
//! processors look busy to the scheduler, it does so even if another processor is idle: two threads then share one of
//! two processors for milliseconds, which is most of the load time of a small run.

/// Pins this thread, number `number` of `threads`, to one processor, but only if there are exactly as many processors
/// as threads: with more processors the scheduler knows better which are idle. Does nothing on systems other than
/// Linux.
pub fn pin_to(number: usize, threads: usize) {
    #[cfg(target_os = "linux")]
    linux::pin_to(number, threads);
    #[cfg(not(target_os = "linux"))]
    let _ = (number, threads);
}

/// Processor that this thread runs on now; `None` on systems other than Linux.
pub fn current() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}

/// Moves this thread off processor `other`, on which the thread that started it keeps working, if there is another
/// processor. The scheduler may move it anywhere afterwards.
pub fn move_off(other: Option<usize>) {
    #[cfg(target_os = "linux")]
    linux::move_off(other);
    #[cfg(not(target_os = "linux"))]
    let _ = other;
}

/// Lifts the affinity that a thread inherits from a pinned parent thread.
pub(crate) fn unpin() {
    #[cfg(target_os = "linux")]
    linux::unpin();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::OnceLock;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Processors of the process before any thread was pinned.
    static ALL: OnceLock<CpuSet> = OnceLock::new();

    pub fn pin_to(number: usize, threads: usize) {
        let Ok(all) = sched_getaffinity(None) else {
            return;
        };
        if threads < 2 || all.count() as usize != threads {
            return;
        }
        let mut cpus = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu));
        if let Some(cpu) = cpus.nth(number) {
            let _ = ALL.set(all);
            let mut one = CpuSet::new();
            one.set(cpu);
            let _ = sched_setaffinity(None, &one);
        }
    }

    pub fn move_off(other: Option<usize>) {
        let Some(here) = other.filter(|cpu| sched_getcpu() == *cpu) else {
            return;
        };
        let Ok(all) = sched_getaffinity(None) else {
            return;
        };
        let mut others = all;
        others.unset(here);
        if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &all);
        }
    }

    pub(crate) fn unpin() {
        if let Some(all) = ALL.get() {
            let _ = sched_setaffinity(None, all);
        }
    }

    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    mod tests {
        use super::*;

        fn own() -> u32 {
            sched_getaffinity(None).unwrap().count()
        }

        #[test]
        fn a_thread_keeps_to_one_where_there_are_as_many() {
            let all = own() as usize;
            let of = |threads: usize| {
                let kept = move || {
                    pin_to(0, threads);
                    let inherited = std::thread::spawn(own).join().unwrap();
                    unpin();
                    (inherited, own())
                };
                std::thread::spawn(kept).join().unwrap()
            };
            assert_eq!(of(all + 1), (all as u32, all as u32));
            if all > 1 {
                assert_eq!(of(all), (1, all as u32));
            }
            assert_eq!(own() as usize, all);
        }

        #[test]
        fn who_moved_away_may_come_back() {
            let all = own();
            let moved = move || {
                move_off(super::super::current());
                own()
            };
            assert_eq!(std::thread::spawn(moved).join().unwrap(), all);
        }
    }
}
