use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

#[allow(clippy::type_complexity)]
/// All arrays with their lines, the remainder, and the problems.
fn read(text: &[u8], form: JsonForm) -> (Vec<(String, Vec<Value>)>, Option<Value>, Vec<String>) {
    let mut arrays = JsonArrays::of(text, form);
    let lines = |arrays: &mut JsonArrays<&[u8]>| -> Vec<Value> {
        let mut out = Vec::new();
        arrays.read_to_end(&mut out).unwrap();
        out.split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
            .filter_map(|l| serde_json::from_slice(l).ok())
            .collect()
    };
    let mut found = Vec::new();
    if form == JsonForm::Object {
        while let Some(name) = arrays.next_array() {
            found.push((name, lines(&mut arrays)));
        }
    } else {
        found.push((String::new(), lines(&mut arrays)));
    }
    let rest = arrays.rest();
    (found, serde_json::from_slice(&rest).ok(), arrays.problems())
}

#[test]
fn forms_are_recognised() {
    let detect = |text: &str| JsonForm::detect(SourceHead::whole(text.as_bytes()));
    let cut = |text: &str| JsonForm::detect(SourceHead::of(text.as_bytes(), Extent::Cut));
    assert_eq!(detect(" [ {\"a\": 1}]"), Some(JsonForm::Array));
    assert_eq!(detect("{\n \"a\": 1\n}\n"), Some(JsonForm::Object));
    assert_eq!(
        detect("{\"n\": 1, \"a\": [{\"b\": 1}]}"),
        Some(JsonForm::Object)
    );
    assert_eq!(
        cut("{\"n\": {\"a\": [{\"b\": 1}, {"),
        Some(JsonForm::Object)
    );
    assert_eq!(cut("{\n \"a\": [\n  {\n"), Some(JsonForm::Object));
    assert_eq!(
        detect("{\n\"a\": 1\n}\n{\n\"a\": 2\n}\n"),
        Some(JsonForm::Sequence)
    );
    for lines in [
        "{\"a\": 1}\n{\"a\": 2}\n",
        "{\"a\": 1}\n",
        "{\"a\": [{\"b\": 1}]}\n{\"a\": [{\"b\": 1}]}\n",
        "[12:30] hello",
        "[\"a\"]",
        "{ not json\n at all }",
        "{",
        "{}\n",
        "",
        "text",
    ] {
        assert_eq!(detect(lines), None, "{lines}");
    }
}

#[test]
fn arrays_of_objects_are_taken_out_and_the_rest_is_kept() {
    let whole = json!({
        "meta": {"plugin": {"type": "x", "list": [1, 2]}, "version": "1"},
        "jobs": [{"id": 1, "t": {"a": "x\ny"}, "steps": [{"n": 1}]}, {"id": 2}, 7],
        "deep": {"er": {"events": [{"e": 1}]}, "alone": [{"z": 0}]},
        "empty": [], "none": null,
    });
    for text in [whole.to_string(), format!("\u{feff}{whole:#}\n")] {
        let (arrays, rest, problems) = read(text.as_bytes(), JsonForm::Object);
        let names: Vec<&str> = arrays.iter().map(|a| a.0.as_str()).collect();
        assert_eq!(names, ["jobs", "deep.er.events", "deep.alone"]);
        assert_eq!(arrays[0].1[0], whole["jobs"][0]);
        assert_eq!(arrays[0].1[2], json!({"value": 7}));
        assert_eq!(arrays[1].1, [json!({"e": 1})]);
        let want = json!({"meta": whole["meta"], "empty": [], "none": null});
        assert_eq!(rest.unwrap(), want);
        assert!(problems.is_empty());
    }
}

#[test]
fn arrays_that_follow_one_another_are_read_to_the_end() {
    for text in [
        "[{\"id\": 1}]\n[{\"id\": 2}, {\"id\": 3}]\n",
        "[{\"id\":1},{\"id\":2}][{\"id\":3}]",
        "[{\"id\":1}]\n[]\n[{\"id\":2}],\n{\"id\":3}\n",
    ] {
        let (arrays, _, problems) = read(text.as_bytes(), JsonForm::Array);
        assert_eq!(arrays[0].1.len(), 3, "{text}");
        assert!(problems.is_empty(), "{problems:?}");
    }
    let text = "[{\"id\": 1}]\n2026-11-30 12:00:00 INFO started\n";
    let (arrays, _, problems) = read(text.as_bytes(), JsonForm::Array);
    assert_eq!((arrays[0].1.len(), problems.len()), (1, 1));
}

#[test]
fn truncated_and_invalid_files_are_read_up_to_the_error() {
    let text = br#"{"a": 1, "jobs": [{"id": 1}, {"id": 2}, {"id"#;
    let (arrays, rest, problems) = read(text, JsonForm::Object);
    assert_eq!(arrays[0].1.len(), 2);
    assert_eq!(rest.unwrap(), json!({"a": 1}));
    assert!(problems[0].contains("ends inside"));
    let (arrays, _, problems) = read(br#"[{"id": 1}, {"id": 2]}, {"id": 3}]"#, JsonForm::Array);
    assert_eq!(arrays[0].1.len(), 1);
    assert!(
        problems[0].contains("invalid JSON at byte 20"),
        "{problems:?}"
    );
    let long = format!(
        "[{{\"a\": \"{}\"}}, {{\"b\": 1}}]",
        "x".repeat(2 * MAX_OBJECT)
    );
    let (arrays, _, problems) = read(long.as_bytes(), JsonForm::Array);
    assert_eq!(arrays[0].1, [json!({"b": 1})]);
    assert!(problems[0].starts_with("1 value:"));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\\n{}\\[\\], ü]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"]{0,3}", inner, 0..4)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn objects_are_read_back_however_they_are_written(list in prop::collection::vec(value(), 1..6), pretty in any::<bool>()) {
        let mut list = list;
        list[0] = json!({"first": list[0]});
        let whole = Value::from(list.clone());
        let text = if pretty { format!("{whole:#}") } else { whole.to_string() };
        prop_assert_eq!(JsonForm::detect(SourceHead::whole(text.as_bytes())), Some(JsonForm::Array));
        let (arrays, _, problems) = read(text.as_bytes(), JsonForm::Array);
        let want: Vec<Value> = list.into_iter().map(|v| if v.is_object() { v } else { json!({"value": v}) }).collect();
        prop_assert_eq!(&arrays[0].1, &want);
        prop_assert!(problems.is_empty());
        let object = json!({"data": {"rows": whole, "n": 1}});
        let (arrays, rest, problems) = read(format!("{object:#}").as_bytes(), JsonForm::Object);
        prop_assert_eq!(&arrays[0].1, &want);
        prop_assert_eq!(rest.unwrap(), json!({"data": {"n": 1}}));
        prop_assert!(problems.is_empty());
    }

    #[test]
    fn any_bytes_do(text in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'"'), Just(b':'), Just(b'['), Just(b']'), Just(b'}'), Just(b','), Just(b'1'), any::<u8>()], 0..120)) {
        let _ = JsonForm::detect(SourceHead::whole(&text));
        let _ = JsonForm::detect(SourceHead::of(&text, Extent::Cut));
        for form in [JsonForm::Array, JsonForm::Sequence, JsonForm::Object] {
            read(&text, form);
        }
    }
}
