//! Locks that ignore poisoning.
//!
//! All data behind these locks is valid between any two statements: tables are appended to, entries are replaced whole.
//! Treating a poisoned lock as an empty table would silently lose data that was read.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Locks a mutex, poisoned or not.
pub fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading, poisoned or not.
pub fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing, poisoned or not.
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
