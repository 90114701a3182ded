//! The threads that load, and those on which everything is answered that is asked about a run.

use std::sync::Mutex;

use rayon::ThreadPool;

use crate::base::lock;
use crate::base::thread::NoThread;

/// How many threads are tried; 0: as many as the machine has.
const COUNTS: [usize; 3] = [0, 4, 1];

/// The threads that load; one where the system gives no more.
pub(super) fn loading(threads: Option<usize>) -> Result<ThreadPool, NoThread> {
    let all = || std::thread::available_parallelism().map_or(2, usize::from);
    let pool = |count: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("load-{i}"))
            .build()
    };
    let wanted = pool(threads.unwrap_or_else(|| all().min(8)));
    wanted.or_else(|_| pool(1)).map_err(|e| no_threads(&e))
}

/// Of a run with fewer records each question is answered sooner than a second thread wakes up for it.
const FEW: usize = 1 << 15;

/// Makes ready to answer what is asked about a run of so many records on this thread: alone where they are few, else with
/// those that everything shares.
///
/// # Errors
/// The system gives no thread, where they are many.
pub fn ask(records: usize) -> Result<(), NoThread> {
    if records >= FEW {
        return share();
    }
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1);
    // It is the thread that is here already, to the end of the program; it may be one of a pool.
    std::mem::forget(alone.use_current_thread().build());
    Ok(())
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
    fn few_records_are_asked_about_on_one_thread() {
        let asked = std::thread::spawn(|| {
            let (first, second) = (ask(FEW - 1), ask(FEW - 1));
            let here = std::thread::current().id();
            let others = rayon::join(|| std::thread::current().id(), || std::thread::current().id());
            (first.is_ok() && second.is_ok(), (here, here) == others)
        });
        assert_eq!(asked.join().unwrap(), (true, true));
    }

    #[test]
    fn they_are_started_once() {
        assert!(share().is_ok() && share().is_ok());
        assert_eq!(rayon::join(|| 1, || 2), (1, 2));
    }
}
