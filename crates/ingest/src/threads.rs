//! Thread pools of loading and of queries.

use std::sync::Mutex;

use rayon::ThreadPool;

use widetui_core::lock;
use widetui_core::processors;
use widetui_core::thread::{NoThread, preallocate_heap};

/// Thread counts to try; 0 means one per processor.
const COUNTS: [usize; 3] = [0, 4, 1];

/// Creates the loading pool, with a single thread if the system grants no more.
pub(super) fn loading(threads: Option<usize>) -> Result<ThreadPool, NoThread> {
    let all = || std::thread::available_parallelism().map_or(2, usize::from);
    let pool = |count: usize| {
        let ready = move |number| {
            processors::pin_to(number, count);
            preallocate_heap(ROOMS);
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

/// Number of 1 MiB blocks by which the heap of a loading thread grows at its start.
const ROOMS: usize = 3;

/// Number of records below which a query takes less time than waking the threads of a pool.
const FEW: usize = 1 << 15;

/// Whether a run has so few records that queries are faster than preparing for them.
pub(super) fn is_small(records: usize) -> bool {
    records < FEW
}

/// Prepares for queries about a run of `records` records: on this thread plus one if there are few, else on the global
/// pool.
///
/// # Errors
/// The system refuses to create a thread.
pub fn prepare_queries(records: usize) -> Result<(), NoThread> {
    let few = || {
        let here = processors::current();
        let pair = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pair = pair.start_handler(move |_| processors::move_off(here));
        pair.use_current_thread().build()
    };
    match is_small(records).then(few) {
        Some(Ok(pair)) => {
            // Never dropped: the current thread cannot leave a pool that it is part of.
            std::mem::forget(pair);
            // Yields so that the new thread, if queued on this processor, runs and moves to another one.
            std::thread::yield_now();
            Ok(())
        }
        _ => start_shared(),
    }
}

/// Starts the global pool for queries, once; without it rayon would panic in the first query. Uses fewer threads if the
/// system grants only a few.
///
/// # Errors
/// The system grants no thread.
pub fn start_shared() -> Result<(), NoThread> {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = lock::hold(&STARTED);
    if *started {
        return Ok(());
    }
    let pool = |count: usize| rayon::ThreadPoolBuilder::new().num_threads(count);
    let mut failed = None;
    for count in COUNTS {
        // The global pool can be built only once, so the count is tried on a temporary pool first.
        match pool(count).build_scoped(|thread| thread.run(), |_| ()) {
            Ok(_) => {
                // An error means that the global pool exists already.
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
            let ready = (
                prepare_queries(FEW - 1).is_ok(),
                prepare_queries(FEW - 1).is_ok(),
            );
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
        assert!(start_shared().is_ok() && start_shared().is_ok());
        assert_eq!(rayon::join(|| 1, || 2), (1, 2));
    }
}
