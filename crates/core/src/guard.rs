//! Calls into libraries that may panic on damaged data.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is caught by [`guarded`]: hooks leave it to the caller.
#[must_use]
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Calls `f`, a reader of data from outside, and catches its panic without a message on the screen. After a panic,
/// state that `f` changed must not be used again.
///
/// # Errors
/// The message of the panic.
pub fn guarded<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !is_guarded() {
                before(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(f));
    GUARDED.set(outer);
    done.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "unexpected data".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_next_call_works() {
        let index = std::hint::black_box(3);
        let error = guarded(|| [1, 2][index]).unwrap_err();
        assert!(error.contains("index out of bounds"), "{error}");
        assert_eq!(guarded(|| 1 + index), Ok(4));
        assert!(!is_guarded());
    }
}
