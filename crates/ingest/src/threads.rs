//! The threads that load, and those on which everything is answered that is asked about a run.

use std::sync::Mutex;

use rayon::ThreadPool;

use widetui_core::lock;
use widetui_core::processors;
use widetui_core::thread::{NoThread, make_room};

/// How many threads are tried; 0: as many as the machine has.
const COUNTS: [usize; 3] = [0, 4, 1];

/// The threads that load; one where the system gives no more.
pub(super) fn loading(threads: Option<usize>) -> Result<ThreadPool, NoThread> {
    let all = || std::thread::available_parallelism().map_or(2, usize::from);
    let pool = |count: usize| {
        let ready = move |number| {
            processors::keep_to(number, count);
            make_room(ROOMS);
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("load-{i}"))
            .start_handler(ready)
            .build()
    };
    let wanted = pool(threads.unwrap_or_else(|| all().min(8)));
    wanted.or_else(|_| pool(1)).map_err(|e| no_threads(&e))
}

/// A loading thread soon has as many rooms.
const ROOMS: usize = 3;

/// Of a run with fewer records a question is answered sooner than many threads are woken up for it.
const FEW: usize = 1 << 15;

/// Whether a run of so many records is answered sooner than it is prepared for.
pub(super) fn are_few(records: usize) -> bool {
    records < FEW
}

/// Makes ready to answer what is asked about a run of so many records: where they are few this thread does it, with one more
/// at its side, else those do that everything shares.
///
/// # Errors
/// The system gives no thread.
pub fn ask(records: usize) -> Result<(), NoThread> {
    let few = || {
        let here = processors::current();
        let pair = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pair = pair.start_handler(move |_| processors::away_from(here));
        pair.use_current_thread().build()
    };
    match are_few(records).then(few) {
        Some(Ok(pair)) => {
            // To the end of the program: a thread does not leave a pool that it is part of.
            std::mem::forget(pair);
            // Where the other thread was put behind this one, it comes to move away.
            std::thread::yield_now();
            Ok(())
        }
        _ => share(),
    }
}

/// Starts the threads on which everything is answered that is asked about a run, once for all: to ask without them would
/// end the program. Where the system gives few threads they are fewer.
///
/// # Errors
/// The system gives none.
pub fn share() -> Result<(), NoThread> {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = lock::hold(&STARTED);
    if *started {
        return Ok(());
    }
    let pool = |count: usize| rayon::ThreadPoolBuilder::new().num_threads(count);
    let mut failed = None;
    for count in COUNTS {
        // It can be done but once: so it is tried first with threads that end before.
        match pool(count).build_scoped(|thread| thread.run(), |_| ()) {
            Ok(_) => {
                // Who has done so already has his own.
                let _ = pool(count).build_global();
                *started = true;
                return Ok(());
            }
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| Err(no_threads(&error)))
}

fn no_threads(error: &rayon::ThreadPoolBuildError) -> NoThread {
    NoThread::from(std::io::Error::other(error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_about_few_records_takes_part_in_the_answer() {
        let asked = std::thread::spawn(|| {
            let ready = (ask(FEW - 1).is_ok(), ask(FEW - 1).is_ok());
            (
                ready,
                rayon::current_thread_index(),
                rayon::current_num_threads(),
            )
        });
        assert_eq!(asked.join().unwrap(), ((true, true), Some(0), 2));
    }

    #[test]
    fn they_are_started_once() {
        assert!(share().is_ok() && share().is_ok());
        assert_eq!(rayon::join(|| 1, || 2), (1, 2));
    }
}
