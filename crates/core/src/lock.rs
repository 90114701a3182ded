//! Locks on data that is valid between any two statements: what a thread that panicked left is used as it stands.
//!
//! All locks of the program are such ones: tables are added to, entries are replaced whole. To take a poisoned one for an
//! empty one would show other data than was read, and say nothing.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Takes a lock.
pub fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock for reading.
pub fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock for writing.
pub fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_left_that_panicked_is_there() {
        let (list, table) = (Mutex::new(vec![1]), RwLock::new(vec![1]));
        let broken = std::thread::scope(|scope| {
            let work = || {
                let (mut list, mut table) = (hold(&list), write(&table));
                list.push(2);
                table.push(2);
                panic!("of a test");
            };
            scope.spawn(work).join()
        });
        assert!(broken.is_err() && list.is_poisoned() && table.is_poisoned());
        hold(&list).push(3);
        write(&table).push(3);
        assert_eq!(
            (hold(&list).clone(), read(&table).clone()),
            (vec![1, 2, 3], vec![1, 2, 3])
        );
    }
}
