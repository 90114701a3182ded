use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int8Array, Int32Array, Int64Array, ListArray, StringArray,
    StructArray, Time64MicrosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

fn written(columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn read(bytes: &[u8]) -> Result<(Vec<u8>, Option<String>), String> {
    let file = ParquetFile::from_bytes(bytes.to_vec())?;
    let mut lines = file.lines(|_| true, &Cancel::default())?;
    let mut text = Vec::new();
    lines.read_to_end(&mut text).unwrap();
    assert_eq!(
        lines.count as usize,
        text.iter().filter(|b| **b == b'\n').count()
    );
    Ok((text, lines.failed.take()))
}

fn rows(bytes: &[u8]) -> Vec<Json> {
    let (text, failed) = read(bytes).unwrap();
    assert_eq!(failed, None);
    let text = String::from_utf8(text).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// Table with a column of every type, and nulls.
fn table() -> Vec<(&'static str, ArrayRef)> {
    let mut names = ListBuilder::new(StringBuilder::new());
    names.append_value([Some("a"), None, Some("b, \"c\"")]);
    names.append_null();
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let pair = StructArray::from(vec![(
        Arc::new(Field::new("n", inner.data_type().clone(), true)),
        inner,
    )]);
    let numbers = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
        Some(vec![Some(1), Some(2)]),
        Some(vec![]),
    ]);
    let at = 1_795_225_387_123_456_789;
    vec![
        (
            "ns",
            Arc::new(TimestampNanosecondArray::from(vec![Some(at), None]).with_timezone("UTC")),
        ),
        (
            "us",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(at / 1_000), None])
                    .with_timezone("Europe/Berlin"),
            ),
        ),
        (
            "ms",
            Arc::new(TimestampMillisecondArray::from(vec![
                Some(at / 1_000_000),
                Some(i64::MAX),
            ])),
        ),
        (
            "s",
            Arc::new(TimestampSecondArray::from(vec![
                Some(at / 1_000_000_000),
                None,
            ])),
        ),
        ("day", Arc::new(Date32Array::from(vec![Some(20_778), None]))),
        (
            "clock",
            Arc::new(Time64MicrosecondArray::from(vec![
                Some(3_600_000_001),
                None,
            ])),
        ),
        ("ok", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ("i8", Arc::new(Int8Array::from(vec![Some(-5), None]))),
        (
            "u64",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])),
        ),
        (
            "f32",
            Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::NAN)])),
        ),
        (
            "f64",
            Arc::new(Float64Array::from(vec![Some(1.0), Some(2.5e-7)])),
        ),
        (
            "money",
            Arc::new(
                Decimal128Array::from(vec![Some(12_345), None])
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
        ),
        (
            "text",
            Arc::new(StringArray::from(vec![Some("x\"\n\u{1}é"), None])),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from(vec![Some(&b"\x00\xff"[..]), Some(b"ab")])),
        ),
        (
            "id",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    [Some([0xab, 0x01]), None].into_iter(),
                    2,
                )
                .unwrap(),
            ),
        ),
        ("names", Arc::new(names.finish())),
        ("pair", Arc::new(pair)),
        ("numbers", Arc::new(numbers)),
    ]
}

#[test]
fn every_type_of_value_and_every_compression() {
    let level = ZstdLevel::try_new(3).unwrap();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(level),
    ] {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let rows = rows(&written(table(), properties));
        assert_eq!(
            rows[0],
            json!({
                "ns": "2026-11-21T01:43:07.123456789Z", "us": "2026-11-21T01:43:07.123456000Z",
                "ms": "2026-11-21T01:43:07.123000000", "s": 1_795_225_387,
                "day": "2026-11-21", "clock": "01:00:00.000001000", "ok": true, "i8": -5,
                "u64": u64::MAX, "f32": 0.1, "f64": 1.0, "money": 123.45, "text": "x\"\n\u{1}é",
                "bytes": "00ff", "id": "ab01", "names": ["a", null, "b, \"c\""],
                "pair": {"n": 1}, "numbers": [1, 2],
            })
        );
        assert_eq!(
            rows[1],
            json!({"ms": i64::MAX, "f64": 2.5e-7, "bytes": "ab", "pair": {}, "numbers": []})
        );
    }
}

#[test]
fn tables_without_rows_and_with_many_columns() {
    let none: Vec<(&str, ArrayRef)> = vec![("a", Arc::new(Int32Array::from(Vec::<i32>::new())))];
    let none = written(none, WriterProperties::default());
    assert_eq!(rows(&none), Vec::<Json>::new());
    let schema = Arc::new(Schema::empty());
    let writer = ArrowWriter::try_new(Vec::new(), schema, None).unwrap();
    assert_eq!(rows(&writer.into_inner().unwrap()), Vec::<Json>::new());
    let names: Vec<String> = (0..10_000).map(|n| format!("c{n}")).collect();
    let cells = Int32Array::from((0..20).collect::<Vec<i32>>());
    let cells: ArrayRef = Arc::new(cells);
    let wide = names.iter().map(|name| (name.as_str(), cells.clone()));
    let rows = rows(&written(wide.collect(), WriterProperties::default()));
    assert_eq!(rows.len(), 20);
    assert!(rows.iter().zip(0..).all(|(row, n)| row["c9999"] == n));
}

#[test]
fn a_long_value_is_truncated_and_the_line_stays_json() {
    let long = "é".repeat(1 << 20);
    let columns: Vec<(&str, ArrayRef)> = vec![(
        "text",
        Arc::new(StringArray::from(vec![long.as_str(), "x"])),
    )];
    let file = ParquetFile::from_bytes(written(columns, WriterProperties::default())).unwrap();
    let mut lines = file.lines(|_| true, &Cancel::default()).unwrap();
    let mut text = String::new();
    lines.read_to_string(&mut text).unwrap();
    assert_eq!(lines.cut, 1);
    let rows: Vec<Json> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert!(rows[0]["text"].as_str().unwrap().ends_with("bytes more)"));
    assert_eq!(rows[1]["text"], "x");
}

#[test]
fn what_is_no_whole_file_is_an_error_that_says_so() {
    let whole = written(table(), WriterProperties::default());
    for cut in [4, 8, 100, whole.len() - 1] {
        let error = ParquetFile::from_bytes(whole[..cut].to_vec()).unwrap_err();
        assert!(error.contains("its end is missing"), "{cut}: {error}");
    }
    let mut encrypted = whole.clone();
    let end = encrypted.len() - 1;
    encrypted[end] = b'E';
    let error = ParquetFile::from_bytes(encrypted).unwrap_err();
    assert_eq!(error, "it is encrypted");
    let folder = tempfile::tempdir().unwrap();
    let error = ParquetFile::open(&folder.path().join("none")).unwrap_err();
    assert!(error.contains("No such file"), "{error}");
}

#[test]
fn rows_before_damage_are_read() {
    let cells = Int64Array::from((0..5_000).collect::<Vec<i64>>());
    let columns: Vec<(&str, ArrayRef)> = vec![("n", Arc::new(cells))];
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(1_000))
        .set_compression(Compression::SNAPPY)
        .build();
    let mut bytes = written(columns, properties);
    let middle = bytes.len() / 2;
    bytes[middle..middle + 500].fill(0xee);
    let (text, failed) = read(&bytes).unwrap();
    let count = text.iter().filter(|b| **b == b'\n').count();
    assert!((1_000..5_000).contains(&count), "{count}");
    assert!(failed.is_some());
}

/// Whatever is read, every line is an object.
fn is_harmless(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok((text, _)) = read(bytes) {
        for line in text.split_inclusive(|b| *b == b'\n') {
            let is_object = line.starts_with(b"{") && line.ends_with(b"}\n");
            prop_assert!(is_object);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn bytes_between_the_magic_numbers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), len in any::<Option<u8>>()) {
        let mut all = b"PAR1".to_vec();
        all.extend(&bytes);
        all.extend(len.map_or(bytes.len() as u32, u32::from).to_le_bytes());
        all.extend(b"PAR1");
        is_harmless(&all)?;
    }

    #[test]
    fn damaged_bytes_of_a_file_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        is_footer in any::<bool>(),
    ) {
        let mut bytes = written(table(), WriterProperties::default());
        let footer = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
        let start = if is_footer { bytes.len() - 8 - footer } else { 4 };
        let len = bytes.len() - 8 - start;
        for (at, byte) in changes {
            bytes[start + at.index(len)] = byte;
        }
        is_harmless(&bytes)?;
    }
}
