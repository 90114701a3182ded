//! Tests: standard input that arrives in pieces.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::check_step;
use super::real::{Dice, made_up};
use crate::files;
use crate::finish::Finish;
use crate::follower::Follower;
use crate::load;
use crate::load_context::LoadContext;
use crate::numbering_gate::NumberingGate;
use crate::options::OpenOptions;
use crate::standard_input::read_input;
use crate::stream_pieces::TimeoutReader;
use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::{EventId, SourceId};
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

/// Reader that returns what is sent through a channel, and blocks until then.
struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let n = buf.len().min(self.1.len());
        buf[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

/// Opens standard input with some bytes, up to its first pause.
fn open(bytes: &[u8]) -> (Follower, Arc<Snapshot>, Sender<Vec<u8>>) {
    let options = OpenOptions {
        paths: vec!["-".into()],
        ..OpenOptions::default()
    };
    let cancel = Cancel::default();
    let mut shared = LoadContext::new(&options, &cancel, &Progress::default()).unwrap();
    shared.follows = true;
    let extra = files::Extra {
        stdin: true,
        ..files::Extra::default()
    };
    shared.update(|h| files::enter_sources(h, &shared, &[], extra));
    let (send, receive) = channel();
    send.send(bytes.to_vec()).unwrap();
    let input = TimeoutReader::new(Pipe(receive, Vec::new()), Duration::from_millis(20)).unwrap();
    let input = Mutex::new(Some(input));
    let turn = NumberingGate::default();
    turn.files_done();
    rayon::scope(|scope| {
        let input = input.lock().unwrap().take().unwrap();
        read_input(scope, &shared, SourceId(0), &turn, input);
    });
    let snapshot = shared.snapshot(true).unwrap();
    let mut follower = Follower::new(&options, shared, &[], &snapshot, Finish::default());
    let snapshot = follower.snapshot();
    (follower, snapshot, send)
}

/// All properties of the records.
fn told(snapshot: &Snapshot) -> Vec<String> {
    let mut texts = TextReader::default();
    let ids = 0..snapshot.len() as u32;
    let events = ids.map(|id| snapshot.event(EventId(id)).unwrap());
    let mut out: Vec<_> = events
        .map(|e| {
            let full = full_event(&e, &mut texts);
            let keys: Vec<_> = full
                .keys
                .iter()
                .map(|key| format!("{}={:?}", key.name, key.value))
                .collect();
            (
                e.span().0,
                format!("{:?} {} {} {keys:?}", full.time, full.level, full.message),
            )
        })
        .collect();
    out.sort();
    out.into_iter().map(|o| o.1).collect()
}

/// Polls until the given number of bytes has arrived.
fn wait_for(follower: &mut Follower, snapshot: &mut Arc<Snapshot>, bytes: u64, now: &mut Instant) {
    for _ in 0..20_000 {
        if snapshot.sources[0].bytes >= bytes {
            return;
        }
        *now += Duration::from_millis(450);
        if let Some(next) = follower.poll_piped(*now) {
            check_step(snapshot, &next);
            *snapshot = next;
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    panic!("{} of {bytes} bytes", snapshot.sources[0].bytes);
}

#[test]
fn what_comes_through_a_pipe_is_what_comes_at_once() {
    let mut dice = Dice(77);
    for (name, bytes) in made_up().into_iter().filter(|(_, b)| !b.is_empty()) {
        let first_line = bytes.iter().position(|b| *b == b'\n').unwrap() + 1;
        let (mut follower, mut snapshot, send) = open(&bytes[..first_line]);
        let mut now = Instant::now();
        let mut done = first_line;
        while done < bytes.len() {
            let to = (done + 1 + dice.source_name(60)).min(bytes.len());
            send.send(bytes[done..to].to_vec()).unwrap();
            done = to;
            wait_for(&mut follower, &mut snapshot, done as u64, &mut now);
        }
        drop(send);
        for _ in 0..20_000 {
            now += Duration::from_secs(3);
            snapshot = follower.poll_piped(now).unwrap_or(snapshot);
            if follower.is_done() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(follower.is_done(), "{name}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("input");
        std::fs::write(&path, &bytes).unwrap();
        let options = OpenOptions {
            paths: vec![path],
            ..OpenOptions::default()
        };
        let whole = load::load_all(&options, &Cancel::default(), Progress::default());
        assert_eq!(told(&snapshot), told(&whole.unwrap().0), "{name}");
    }
}

#[test]
fn what_stands_around_lines_is_taken_off_as_they_come() {
    let line = |second: u32| {
        let own = format!("2026-11-20 19:00:{second:02},000 worker INFO took task={second} of 7\n");
        (
            format!("2026-11-20T19:00:{second:02}.250000001Z stdout F {own}"),
            own.len() as u64,
        )
    };
    let (mut follower, mut snapshot, send) = open(line(1).0.as_bytes());
    let mut now = Instant::now();
    let mut bytes = line(1).1;
    for second in 2..5 {
        let (text, len) = line(second);
        let (start, end) = text.as_bytes().split_at(40);
        send.send(start.to_vec()).unwrap();
        send.send(end.to_vec()).unwrap();
        bytes += len;
        wait_for(&mut follower, &mut snapshot, bytes, &mut now);
    }
    let told = told(&snapshot);
    assert_eq!(told.len(), 4);
    assert!(told[3].contains(" took task=4 of 7 "), "{told:#?}");
}
