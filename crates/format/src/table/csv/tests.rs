use super::*;
use proptest::prelude::*;
use serde_json::json;

fn lines(text: &[u8], dialect: Dialect) -> (Vec<serde_json::Value>, Vec<String>) {
    let mut rows = CsvLines::new(text, dialect);
    let mut out = String::new();
    rows.read_to_string(&mut out).unwrap();
    let lines = out.lines().map(|l| serde_json::from_str(l).unwrap());
    (lines.collect(), rows.problems())
}

fn detect(path: &str, text: &str) -> Option<(char, bool)> {
    Dialect::detect(path, SourceHead::whole(text.as_bytes()))
        .map(|d| (char::from(d.delimiter), d.header))
}

#[test]
fn dialects_are_recognised() {
    assert_eq!(detect("a.csv", "a,b\n1,2\n"), Some((',', true)));
    assert_eq!(detect("x/A.TSV", "a\tb,c\n1\t2\n"), Some(('\t', true)));
    assert_eq!(detect("a.csv", "a;b;c\n1,5;2;3\n"), Some((';', true)));
    assert_eq!(detect("a.csv.gz", "task\n1\n2\n"), Some((',', true)));
    assert_eq!(detect("a.csv", "1,2\n3,4\n"), Some((',', false)));
    let commented = "# probe 3, every 7 s\ntime,host\n# restarted\n10:00:00,n1\n10:00:07,n2\n";
    let dialect = Dialect::detect("a.csv", SourceHead::whole(commented.as_bytes())).unwrap();
    let (rows, _) = lines(commented.as_bytes(), dialect);
    assert_eq!(
        rows,
        [
            json!({"time": "10:00:00", "host": "n1"}),
            json!({"time": "10:00:07", "host": "n2"})
        ]
    );
    assert_eq!(
        detect("a.csv", "a,\"b\nb\"\n1,\"x,\ny\"\n"),
        Some((',', true))
    );
    assert_eq!(
        detect("sacct.txt", "JobID|State|Exit\n1|DONE|0:0\n2|FAILED|1:0\n"),
        Some(('|', true))
    );
    assert_eq!(
        detect(
            "sacct.txt",
            "JobID|State|Exit|\n1|DONE|0:0|\n2|FAILED|1:0|\n"
        ),
        Some(('|', true))
    );
    for log in [
        "2026-11-20 10:00:00,123 INFO a, b\n2026-11-20 10:00:01,123 INFO a, b\n",
        "Hello, world, this is a sentence of many words that goes on\nand, so, on\n",
        "a,b,c\n",
        "a,b,c\n1,2\n1,2,3\n",
        "",
    ] {
        assert_eq!(detect("some.log", log), None, "{log}");
    }
}

#[test]
fn rows_become_objects() {
    let text =
        b"\xef\xbb\xbfindex,name,name,\n0,\"a \"\"q\"\", b\nc\",,1.50\n1,x\n2,x,y,z,more\n\n";
    let comma = Dialect {
        delimiter: b',',
        header: true,
        has_comments: false,
    };
    let (rows, problems) = lines(text, comma);
    let want = serde_json::json!([
        {"index": 0, "name": "a \"q\", b\nc", "name.3": null, "column_4": 1.50},
        {"index": 1, "name": "x"},
        {"index": 2, "name": "x", "name.3": "y", "column_4": "z", "column_5": "more"},
    ]);
    assert_eq!(serde_json::Value::from(rows), want);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("2 rows:"));
}

#[test]
fn a_delimiter_may_end_the_lines() {
    let bars = Dialect {
        delimiter: b'|',
        header: true,
        has_comments: false,
    };
    let (rows, problems) = lines(b"a|b|\n1|x|\n2||\n3|y|z|\n", bars);
    let want = serde_json::json!([
        {"a": 1, "b": "x"},
        {"a": 2, "b": null},
        {"a": 3, "b": "y", "column_3": "z", "column_4": null},
    ]);
    assert_eq!(serde_json::Value::from(rows), want);
    assert_eq!(problems.len(), 1);
}

#[test]
fn a_quote_that_is_never_closed_takes_no_memory_without_bound() {
    let mut text = b"a,b\n1,\"x".to_vec();
    text.resize(5_000_000, b'y');
    let comma = Dialect {
        delimiter: b',',
        header: true,
        has_comments: false,
    };
    let mut rows = CsvLines::new(&text[..], comma);
    let mut out = Vec::new();
    rows.read_to_end(&mut out).unwrap();
    assert!(out.len() < 1 << 20);
    assert!(rows.records.text.len() <= 2 * MAX_RECORD);
    assert_eq!(rows.problems().len(), 1);
    let wide = ["a,b\n".to_owned(), ",".repeat(200_000)].concat();
    let (rows, problems) = lines(wide.as_bytes(), comma);
    assert_eq!((rows.len(), problems.len()), (1, 2));
}

#[test]
fn no_two_columns_have_one_name() {
    for (header, want) in [
        ("a,a.3,a", ["a", "a.3", "a.3.2"]),
        ("a,a,a.2", ["a", "a.2.2", "a.2"]),
        ("column_2,,index", ["column_2", "column_2.2", "index"]),
        (",index,x", ["index.2", "index", "x"]),
    ] {
        let dialect = Dialect {
            delimiter: b',',
            header: true,
            has_comments: false,
        };
        let (rows, problems) = lines(format!("{header}\n1,2,3\n").as_bytes(), dialect);
        let values = want
            .iter()
            .zip(1..)
            .map(|(name, n)| ((*name).to_owned(), n.into()));
        assert_eq!(
            rows,
            [serde_json::Value::Object(values.collect())],
            "{header}"
        );
        assert!(problems.is_empty());
    }
}

proptest! {
    #[test]
    fn any_bytes_do(text in prop::collection::vec(prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..300)) {
        if let Some(dialect) = Dialect::detect("a.csv", SourceHead::whole(&text)) {
            lines(&text, dialect);
        }
        for delimiter in *b",;\t|" {
            for header in [true, false] {
                lines(&text, Dialect { delimiter, header, has_comments: false });
            }
        }
    }

    #[test]
    fn quoted_cells_are_read_back(
        rows in prop::collection::vec(prop::collection::vec("[a-z ,;\t|\"\r\nü0-9.]{1,12}", 3), 1..20),
        delimiter in prop::sample::select(b",;\t|".to_vec()),
    ) {
        let mut text = ["alpha", "beta", "gamma"].join(&char::from(delimiter).to_string());
        for row in &rows {
            text.push('\n');
            let cells: Vec<String> = row.iter().map(|c| format!("\"{}\"", c.replace('"', "\"\""))).collect();
            text.push_str(&cells.join(&char::from(delimiter).to_string()));
        }
        let dialect = Dialect { delimiter, header: true, has_comments: false };
        let (read, problems) = lines(text.as_bytes(), dialect);
        prop_assert!(problems.is_empty());
        prop_assert_eq!(read.len(), rows.len());
        for (read, row) in read.iter().zip(&rows) {
            for (name, cell) in ["alpha", "beta", "gamma"].iter().zip(row) {
                let got = match &read[name] {
                    serde_json::Value::String(text) => text.clone(),
                    _ if is_number(cell.as_bytes()) => cell.clone(),
                    other => other.to_string(),
                };
                prop_assert_eq!(&got, cell);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_quick_check_rejects_no_table(text in "[\r\n]{0,2}([ab1_\"]{0,3}[,;|\t\n\r\" ]){0,30}") {
        let head = SourceHead::whole(text.as_bytes());
        prop_assert_eq!(Dialect::detect("x.log", head), Dialect::among((false, false), head, |_| true));
    }
}

#[test]
fn measurements_are_decimal_numbers() {
    for (text, expected) in [
        (
            "station,lat,lon,t2m\nA,1.0,2.0,280.1\nB,1.5,2.5,281.0\n",
            true,
        ),
        ("task,host,seconds\n1,a,2.5\n2,b,3.5\n", false),
        ("t,x,y\n1676455200.5,2.0,3.0\n1676455201.5,2.0,3.0\n", false),
        ("id,n\n1,2\n3,4\n", false),
    ] {
        let head = SourceHead::whole(text.as_bytes());
        let dialect = Dialect::detect("a.csv", head).unwrap();
        assert_eq!(dialect.has_measurements(head), expected, "{text}");
    }
}
