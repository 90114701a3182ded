use super::*;
use widetui_core::memory::MemoryLimit;
use widetui_core::thread::NoThread;

#[test]
fn an_answer_carries_its_generation() {
    let (send, receive) = crossbeam_channel::unbounded();
    let mut jobs = Jobs::new(MemoryLimit::NONE);
    let snapshot = Arc::new(Snapshot::default());
    let question = Question::Select {
        steps: Vec::new(),
        near: None,
        context: None,
    };
    jobs.ask(snapshot, question, 7, send, |slot, generation, answer| {
        (
            slot,
            generation,
            matches!(answer, Answer::Selected(Rows::All, _)),
        )
    })
    .unwrap();
    let limit = std::time::Duration::from_secs(20);
    assert_eq!(
        receive.recv_timeout(limit).unwrap(),
        (JobKind::Select, 7, true)
    );
}

#[test]
fn questions_of_one_kind_are_numbered_apart_from_others() {
    let mut generations = Generations::default();
    let question = generations.next(JobKind::Table);
    generations.next(JobKind::Overview);
    assert!(generations.is_last(JobKind::Table, question));
    let later = generations.next(JobKind::Table);
    assert!(!generations.is_last(JobKind::Table, question));
    assert!(generations.is_last(JobKind::Table, later));
    assert!(generations.is_last(JobKind::Export, 0), "nothing was asked");
}

#[test]
fn what_there_is_no_thread_for_is_done_later() {
    let (send, receive) = crossbeam_channel::unbounded();
    let mut jobs = Jobs::new(MemoryLimit::NONE);
    let none = |_, _| {
        Err(NoThread::from(std::io::Error::from(
            std::io::ErrorKind::WouldBlock,
        )))
    };
    for text in ["first", "second"] {
        let send = send.clone();
        let work = Arc::new(move || send.send(text).unwrap());
        assert!(jobs.begin(JobKind::Instances, work, none).is_err());
    }
    assert!(jobs.is_waiting());
    jobs.retry();
    let limit = Duration::from_secs(20);
    assert_eq!(receive.recv_timeout(limit), Ok("second"));
    assert!(!jobs.is_waiting() && receive.is_empty());
    // No receiver waits for the answer any more.
    assert!(
        jobs.begin(JobKind::Instances, Arc::new(|| ()), none)
            .is_err()
    );
    jobs.cancel(JobKind::Instances);
    assert!(!jobs.is_waiting());
}

#[test]
fn near_the_limit_of_memory_large_answers_come_one_after_another() {
    let (send, receive) = crossbeam_channel::unbounded();
    let mut jobs = Jobs::new(MemoryLimit(0));
    let turn = jobs.turn();
    let other = widetui_core::lock::hold(&turn);
    for (question, generation) in [(Question::KeyStats, 1), (Question::Values, 2)] {
        let snapshot = Arc::new(Snapshot::default());
        let kind = |slot, _, _| slot;
        jobs.ask(snapshot, question, generation, send.clone(), kind)
            .unwrap();
    }
    jobs.ask(
        Arc::new(Snapshot::default()),
        Question::Line(EventId(0)),
        3,
        send,
        |slot, _, _| slot,
    )
    .unwrap();
    let limit = Duration::from_secs(20);
    assert_eq!(
        receive.recv_timeout(limit),
        Ok(JobKind::Line),
        "a small answer waits for none"
    );
    assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
    drop(other);
    let mut rest: Vec<_> = (0..2)
        .map(|_| receive.recv_timeout(limit).unwrap())
        .collect();
    rest.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(rest, [JobKind::KeyStats, JobKind::Values]);
}
