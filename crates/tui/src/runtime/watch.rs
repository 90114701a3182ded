//! Threads that wait for terminal input, loader and signals, and send messages to the event loop.

use std::io;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use crossterm::event::{self, Event, MouseEventKind};
use signal_hook::consts::{SIGABRT, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};

use widetui_app::msg::Msg;
use widetui_core::cancel::Cancel;
use widetui_core::thread::{self, NoThread};
use widetui_ingest::load::{self};
use widetui_ingest::options::{LoadMsg, OpenOptions};

use super::Arrival;
use crate::rescue;

/// Time in which the event loop must end the process after a signal; saving may be slow on a network file system.
const PATIENCE: Duration = Duration::from_secs(8);
/// Interval at which an abort is looked for meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn input(send: Sender<Arrival>) -> Result<(), NoThread> {
    let read = move || {
        loop {
            match event::read() {
                // Mouse movements without a button would cause a frame each.
                Ok(Event::Mouse(m)) if matches!(m.kind, MouseEventKind::Moved) => {}
                Ok(event) => {
                    if send.send(Arrival::Terminal(event)).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    let _ = send.send(Arrival::InputEnded);
                    return;
                }
            }
        }
    };
    thread::start("input", read).map(|_| ())
}

pub(super) fn loader(
    options: OpenOptions,
    send: Sender<Arrival>,
    stop: Cancel,
) -> Result<(), NoThread> {
    let (loader, from_loader) = unbounded::<LoadMsg>();
    let pass_on = move || {
        for msg in from_loader {
            if send.send(Arrival::Inner(Msg::Load(msg))).is_err() {
                return;
            }
        }
    };
    thread::start("loaded", pass_on)?;
    load::spawn(options, loader, stop)
}

pub(super) fn signals(send: Sender<Arrival>) -> anyhow::Result<Handle> {
    let mut signals = Signals::new(rescue::ENDING.into_iter().chain([SIGTSTP, SIGABRT]))?;
    rescue::block_aborting_threads()?;
    let handle = signals.handle();
    let watch = move || {
        while !signals.is_closed() {
            let mut ending = None;
            for signal in signals.wait() {
                match signal {
                    // Nothing is allocated before: memory may have run out.
                    SIGABRT => rescue::end_process(signal),
                    SIGTSTP => {}
                    signal => ending = Some(signal),
                }
                if send.send(Arrival::Signal(signal)).is_err() {
                    return;
                }
            }
            if let Some(signal) = ending {
                end_within_patience(&mut signals, signal);
            }
        }
    };
    thread::start("signals", watch)?;
    Ok(handle)
}

/// Ends the process if the event loop does not.
fn end_within_patience(signals: &mut Signals, signal: i32) {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        std::thread::sleep(PAUSE);
        if signals.is_closed() {
            return;
        }
        if signals.pending().any(|signal| signal == SIGABRT) {
            rescue::end_process(SIGABRT);
        }
    }
    rescue::end_process(signal);
}
