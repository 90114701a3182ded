use super::*;

#[test]
fn an_answer_carries_its_generation() {
    let (send, receive) = crossbeam_channel::unbounded();
    let mut jobs = Jobs::default();
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
    });
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
    generations.next(JobKind::Strip);
    assert!(generations.is_last(JobKind::Table, question));
    let later = generations.next(JobKind::Table);
    assert!(!generations.is_last(JobKind::Table, question));
    assert!(generations.is_last(JobKind::Table, later));
    assert!(generations.is_last(JobKind::Export, 0), "nothing was asked");
}
