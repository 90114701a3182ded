//! The same facts in every output format.

use std::fs;

use super::*;

#[test]
fn several_values_are_several_when_they_are_read_back_from_csv() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv").display().to_string();
    let filter = ["--where", "message ~ \"^Sent tasks\""];
    ok(&[&["export", &hung(), "-o", &path][..], &filter].concat());
    let keys = |path: &str, args: &[&str]| -> Vec<Map<String, Json>> {
        let command = ["events", path, "--format", "jsonl", "--join", "none"];
        let mut events = objects(&ok(&[&command, args].concat()));
        events.iter_mut().for_each(|event| {
            event.retain(|key, _| {
                matches!(key.as_str(), "time" | "message" | "parsl.executor_task")
            });
        });
        events
    };
    let (written, read) = (keys(&hung(), &filter), keys(&path, &[]));
    let lists = |all: &[Map<String, Json>]| {
        all.iter()
            .filter(|e| e["parsl.executor_task"].is_array())
            .count()
    };
    assert!(lists(&written) > 0 && lists(&written) < written.len());
    assert_eq!(written, read);
    // In the table of another program, and in a message, brackets are text.
    let other = dir.path().join("b.csv");
    fs::write(
        &other,
        "time,job,note\n2026-01-01T00:00:00Z,1,\"[1,2]\"\n2026-01-01T00:00:01Z,2,\"[3,4]\"\n",
    )
    .unwrap();
    let events = objects(&ok(&[
        "events",
        other.to_str().unwrap(),
        "--format",
        "jsonl",
    ]));
    assert!(events.iter().all(|e| e["note"].is_string()), "{events:?}");
}

#[test]
fn tables_have_the_facts_that_json_lines_have() {
    let run = hung();
    let csv = |args: &[&str]| ok(&[args, &["--format", "csv", &run]].concat());
    // Every key of a trace is a column; the heading stands once.
    let trace = csv(&["trace", "parsl.task=24"]);
    let head: Vec<&str> = trace.lines().next().unwrap().split(',').collect();
    assert_eq!(
        head[..7],
        [
            "time", "offset_s", "delta_s", "source", "level", "via", "message"
        ]
    );
    let events = objects(&ok(&["trace", "parsl.task=24", "--format", "jsonl", &run]));
    let keys: BTreeSet<&str> = events
        .iter()
        .flat_map(|e| e.keys().map(String::as_str))
        .collect();
    let is_column = |key: &&str| *key == "template" || head.contains(key);
    assert!(keys.iter().all(is_column), "{keys:?} {head:?}");
    assert!(head.contains(&"parsl.app"));
    // How much there could be, and what carried it.
    let used = csv(&["utilisation", "parsl.try"]);
    assert!(
        used.starts_with("kind,time,value,capacity,carrier,"),
        "{used}"
    );
    let lines = objects(&ok(&[
        "utilisation",
        "parsl.try",
        "--format",
        "jsonl",
        &run,
    ]));
    assert_eq!(used.lines().count(), lines.len() + 1);
    // Each row says what it is of, and has what rows of its kind have.
    let mut kinds = BTreeSet::new();
    for line in &lines {
        let kind = line["kind"].as_str().unwrap();
        let own = match kind {
            "running" => ["time", "value"],
            "capacity" => ["time", "capacity"],
            _ => ["carrier", "busy"],
        };
        assert!(
            own.iter().all(|field| line.contains_key(*field)),
            "{line:?}"
        );
        kinds.insert(kind);
    }
    assert_eq!(kinds, BTreeSet::from(["running", "capacity", "carrier"]));
}

#[test]
fn programs_receive_what_people_receive() {
    let run = hung();
    let lines = |args: &[&str]| objects(&ok(&[args, &["--format", "jsonl", &run]].concat()));
    let all = lines(&["hung"]);
    let shown = ok(&["hung", &run]);
    let of_kind = |kind: &str| all.iter().filter(|l| l["kind"] == kind).collect::<Vec<_>>();
    let idle = of_kind("idle");
    assert!(!idle.is_empty());
    for line in idle {
        assert!(shown.contains(line["text"].as_str().unwrap()), "{line:?}");
        let (idle, busy) = (
            line["idle"].as_array().unwrap().len(),
            line["busy"].as_u64().unwrap(),
        );
        assert_eq!(idle as u64 + busy, line["alive"].as_u64().unwrap());
    }
    let waiting = of_kind("entity")
        .into_iter()
        .filter(|l| l["text"].as_str().unwrap().contains("waits for"));
    for line in waiting {
        let first = &line["waits_for"][0]["parsl.task"];
        assert!(
            line["text"]
                .as_str()
                .unwrap()
                .contains(&format!("waits for {first}")),
            "{line:?}"
        );
    }
    // The latencies that stand above the messages.
    let latencies = lines(&["flow", "--summary"]);
    let counted: u64 = latencies.iter().map(|l| l["count"].as_u64().unwrap()).sum();
    assert_eq!(counted as usize, lines(&["flow"]).len());
    assert!(ok(&["flow", &run]).starts_with(&ok(&["flow", "--summary", &run])));
}

#[test]
fn a_line_that_is_too_long_to_be_read_is_written_so_that_it_can_be() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("a.log");
    // Quotes take two bytes each in JSON.
    let lines = [
        "x".repeat(700_000),
        "y".repeat(20_000_000),
        "\"é".repeat(2_600_000),
    ];
    let lines = lines.iter().enumerate();
    let lines = lines.map(|(n, text)| format!("2026-01-01 00:00:0{n} INFO start {text} end\n"));
    fs::write(&log, lines.collect::<String>()).unwrap();
    let written = ok(&["events", log.to_str().unwrap(), "--format", "jsonl"]);
    assert!(written.lines().all(|line| line.len() < 8 << 20));
    let out = feed(&["events", "-", "--format", "jsonl"], &written);
    let (written, read) = (objects(&written), objects(&text(&out.stdout)));
    assert_eq!(read.len(), 3);
    for (a, b) in written.iter().zip(&read) {
        for key in ["time", "source", "level", "message"] {
            assert!(a[key] == b[key], "{key} of {}", a["time"]);
        }
    }
    // What there is room for is not cut; what is cut is reported.
    let message = |n: usize| written[n]["message"].as_str().unwrap();
    assert!(message(0).ends_with("x end"), "{}", message(0).len());
    assert!(message(1).ends_with("bytes were read)"));
}

#[test]
fn definitions_in_force_are_listed_for_programs_too() {
    let list = objects(&ok(&["systems", "--format", "jsonl"]));
    let parsl = list.iter().find(|s| s["system"] == "parsl").unwrap();
    assert!(
        parsl["messages"].as_u64() > Some(10) && parsl["from"].is_null(),
        "{parsl:?}"
    );
    assert_eq!(ok(&["systems"]).lines().count(), list.len() + 1);
    fails(2, &["systems", "--format", "jsonl", "check", "x.toml"]);
}

#[test]
fn the_schema_of_definitions_is_json() {
    let schema: Json = serde_json::from_str(&ok(&["systems", "schema"])).unwrap();
    assert_eq!(schema["required"], Json::from(vec!["name"]));
    assert!(schema["properties"]["layout"]["items"]["$ref"].is_string());
}

#[test]
fn the_manual_has_all_commands_with_their_options() {
    let page = ok(&["man"]);
    for command in ["events", "utilisation", "systems draft", "export"] {
        assert!(
            page.contains(&format!(".SS \"widetui {command}\"")),
            "{command}"
        );
    }
    let plain = page.replace("\\-", "-");
    for option in [
        "--recorder",
        "--plot-theme",
        "--provenance",
        "--since",
        "--shift",
    ] {
        assert!(plain.contains(option), "{option}");
    }
    for heading in ["EXPRESSIONS", "EXIT STATUS", "COMPLETIONS"] {
        assert!(page.contains(&format!(".SH \"{heading}\"")), "{heading}");
    }
    for variable in [
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "TMPDIR",
        "WIDETUI_THEME",
        "WIDETUI_KEYMAP",
        "WIDETUI_PLOTS",
        "NO_COLOR",
        "COLORTERM",
        "LC_CTYPE",
        "TZ",
        "STY",
    ] {
        assert!(page.contains(variable), "{variable}");
    }
    // Options of all commands stand once, beside those of the explorer.
    assert!(plain.matches("--display-tz").count() < 5);
}

#[test]
fn templates_are_the_same_when_they_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let templates = |path: &str| ok(&["keys", "--key", "template", "--format", "csv", path]);
    for case in ["hung", "old2024"] {
        let run = runs::data().join(case).display().to_string();
        for name in ["a.csv", "a.jsonl"] {
            let path = dir.path().join(name).display().to_string();
            ok(&["export", &run, "-o", &path, "--force"]);
            assert_eq!(templates(&run), templates(&path), "{case} {name}");
        }
    }
}

/// Commands that print JSON lines, by each of their writers.
const JSON_LINES: [&[&str]; 9] = [
    &["events"],
    &[
        "events",
        "--limit",
        "3",
        "-C",
        "1",
        "--where",
        "parsl.task = 24",
    ],
    &["trace", "parsl.task=24"],
    &["sources"],
    &["entities"],
    &["states", "parsl.task"],
    &["flow"],
    &["hung"],
    &["diagnose"],
];

#[test]
fn the_first_of_json_lines_has_the_version_of_the_fields() {
    for command in JSON_LINES {
        let lines = raw_objects(&ok(&[command, &[&hung(), "--format", "jsonl"]].concat()));
        assert_eq!(lines[0].get("_schema"), Some(&Json::from(1)), "{command:?}");
        // The fields that name a row stand before it.
        assert!(
            lines[0]
                .keys()
                .next()
                .is_some_and(|first| first != "_schema")
        );
        let further = lines[1..].iter().any(|line| line.contains_key("_schema"));
        assert!(lines.len() > 1 && !further, "{command:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    let exported = |name: &str, args: &[&str]| {
        let path = dir.path().join(name).display().to_string();
        ok(&[&["export", "-o", &path, &hung()], args].concat());
        path
    };
    let whole = exported("whole.jsonl", &[]);
    let lines = raw_objects(&fs::read_to_string(&whole).unwrap());
    let versions = lines.iter().map(|line| line.contains_key("_schema"));
    let versions: Vec<bool> = versions.collect();
    assert!(versions[0] && !versions[1..].contains(&true));
    // A flat table has columns of the data alone.
    let flat = exported("flat.jsonl", &["--flat"]);
    assert!(!fs::read_to_string(flat).unwrap().contains("_schema"));
    // The version is no key of a record that is read back.
    let events = ok(&["events", "--format", "jsonl", &hung()]);
    let piped = dir.path().join("events.jsonl");
    fs::write(&piped, events).unwrap();
    for path in [whole, piped.display().to_string()] {
        assert!(
            !ok(&["keys", "--format", "csv", &path]).contains("_schema"),
            "{path}"
        );
    }
}

/// Seconds of the time of day of an RFC 3339 time.
fn seconds_of_day(time: &Json) -> f64 {
    let clock = &time.as_str().unwrap()[11..29];
    clock
        .split(':')
        .fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
}

#[test]
fn instances_without_a_start_have_the_time_from_their_first_to_their_last_event() {
    let run = hung();
    let of =
        |entity: &str, format: &str| ok(&["entities", "--of", entity, "--format", format, &run]);
    for entity in ["parsl.worker", "parsl.task"] {
        let rows = objects(&of(entity, "jsonl"));
        assert!(rows.len() > 3);
        for row in rows {
            let between = seconds_of_day(&row["last"]) - seconds_of_day(&row["first"]);
            let seen = row["seen_s"].as_f64().unwrap();
            assert!((seen - between).abs() < 1e-6, "{row:?}");
        }
    }
    let workers = objects(&of("parsl.worker", "jsonl"));
    assert!(workers.iter().all(|w| w["duration_s"].is_null()));
    assert!(workers.iter().any(|w| w["seen_s"].as_f64() > Some(1.0)));
    for (format, heading) in [("csv", "seen_s"), ("text", "seen")] {
        let out = of("parsl.worker", format);
        let mut words = out.lines().next().unwrap().split([',', ' ']);
        assert!(words.any(|word| word == heading), "{out}");
    }
}

#[test]
fn documentation_of_a_hint_stands_below_its_advice() {
    let dir = tempfile::tempdir().unwrap();
    let (system, log) = (dir.path().join("mine.toml"), dir.path().join("a.log"));
    let address = "https://mysim.example/errors#grain";
    fs::write(
        &system,
        format!(
            "name = \"mine\"\ntitle = \"Mine\"\nanywhere = true\n[[hint]]\nname = \"grain\"\n\
             where = 'template ~ \"grain is wet\"'\ntitle = \"Wet grain\"\ntext = \"It must dry.\"\n\
             next = \"Dry it.\"\nurl = \"{address}\"\n"
        ),
    )
    .unwrap();
    fs::write(
        &log,
        "2026-03-02 14:00:00,000 ERROR mill: grain is wet\n\
         2026-03-02 14:00:01,000 ERROR mill: the wheel broke\n",
    )
    .unwrap();
    let (system, log) = (system.to_str().unwrap(), log.to_str().unwrap());
    let diagnose = |format: &str| ok(&["diagnose", "--system", system, "--format", format, log]);
    let text = diagnose("text");
    let at = text.lines().position(|l| l == "   Next: Dry it.").unwrap();
    let more = format!("   More: {address}");
    assert_eq!(text.lines().nth(at + 1), Some(&*more), "{text}");
    assert_eq!(text.matches("More:").count(), 1, "{text}");
    let findings = objects(&diagnose("jsonl"));
    let url = |is_hint: bool| {
        let mut some = findings.iter().filter(|f| f.contains_key("rank"));
        some.find(|f| (f["kind"] == "explained") == is_hint)
            .unwrap()["url"]
            .clone()
    };
    assert_eq!(url(true), address);
    assert_eq!(url(false), "");
    assert!(diagnose("csv").contains(&format!(",Dry it.,{address}")));
}

#[test]
fn entities_say_what_an_instance_is() {
    let dir = tempfile::tempdir().unwrap();
    let (system, log) = (dir.path().join("mine.toml"), dir.path().join("a.log"));
    let about = "One turn of the mill";
    fs::write(
        &system,
        format!(
            "name = \"mine\"\ntitle = \"Mine\"\nanywhere = true\n\
             [keys.\"mine.job\"]\ntype = \"int\"\n[keys.\"mine.turn\"]\ntype = \"int\"\n\
             [[reading]]\nname = \"turns\"\nwhere = 'template ~ \"^job \"'\n\
             match = [\"job {{mine.job:int}} takes turn {{mine.turn:int}}\"]\n\
             [[entity]]\nname = \"mine.job\"\nid = [[\"mine.job\"]]\n\
             [[entity]]\nname = \"mine.turn\"\nabout = \"{about}\"\nid = [[\"mine.turn\"]]\n"
        ),
    )
    .unwrap();
    fs::write(
        &log,
        "2026-03-02 14:00:00,000 INFO mill: job 1 takes turn 7\n\
         2026-03-02 14:00:01,000 INFO mill: job 2 takes turn 8\n",
    )
    .unwrap();
    let (system, log) = (system.to_str().unwrap(), log.to_str().unwrap());
    let entities = |format: &str| ok(&["entities", "--system", system, "--format", format, log]);
    let rows = objects(&entities("jsonl"));
    let about_of = |name: &str| {
        let row = rows.iter().find(|r| r["entity"] == name);
        row.unwrap()["about"].clone()
    };
    assert_eq!(about_of("mine.turn"), about);
    assert_eq!(about_of("mine.job"), "");
    assert!(entities("csv").contains(about));
    assert!(!entities("text").contains(about));
    // The built-in definitions say it, too.
    let built_in = objects(&ok(&["entities", "--format", "jsonl", &hung()]));
    let attempt = built_in.iter().find(|r| r["entity"] == "parsl.try");
    assert_eq!(attempt.unwrap()["about"], "One attempt of a task");
    assert!(built_in.iter().all(|r| r["about"] != ""), "{built_in:?}");
}
