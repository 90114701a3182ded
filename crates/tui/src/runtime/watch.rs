//! Threads that wait for terminal input, loader and signals, and send messages to the event loop.

use std::io;

use crossbeam_channel::{Sender, unbounded};
use crossterm::event::{self, Event, MouseEventKind};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};

use widetui_app::msg::Msg;
use widetui_core::cancel::Cancel;
use widetui_core::thread::{self, NoThread};
use widetui_ingest::load::{self};
use widetui_ingest::options::{LoadMsg, OpenOptions};

use super::Arrival;

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

pub(super) fn signals(send: Sender<Arrival>) -> anyhow::Result<signal_hook::iterator::Handle> {
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP])?;
    let handle = signals.handle();
    let watch = move || {
        for signal in signals.forever() {
            if send.send(Arrival::Signal(signal)).is_err() {
                return;
            }
        }
    };
    thread::start("signals", watch)?;
    Ok(handle)
}
