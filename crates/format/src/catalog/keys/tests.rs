//! Names and types of keys, and which of their values are stored.

use super::*;
use crate::catalog::encode::{DEFER, Encoder};

#[test]
fn canonical_forms_make_spellings_equal() {
    for (kind, a, b) in [
        (KeyType::Int, "03", "3"),
        (KeyType::Auto, "+3", "3"),
        (KeyType::Float, "1.50", "1.5"),
        (
            KeyType::Uuid,
            "F57DE276-3968-48BC-BC9C-21AA772D4409",
            "f57de276396848bcbc9c21aa772d4409",
        ),
        (KeyType::Bytes, "b'0d1175223706'", "0d1175223706"),
        (KeyType::Hex, "0x0A1f", "0a1f"),
        (KeyType::Bool, "True", "true"),
        (KeyType::Host, "Nid00317.example.org", "nid00317"),
        (KeyType::Job, "90210.pbs01", "90210"),
        (KeyType::Job, "0124", "124"),
        (KeyType::Job, "51000.batch", "51000"),
        (KeyType::Job, "5739.0", "5739"),
        (KeyType::Job, "5739.12", "5739_12"),
        (KeyType::Job, "7[3].pbs01", "7_3"),
        (KeyType::Job, "Submitted batch job 3300120", "3300120"),
        (
            KeyType::Job,
            "Job <81> is submitted to queue <normal>.",
            "81",
        ),
    ] {
        let keys = Keys::default();
        keys.define(
            "k",
            KeySpec {
                kind,
                ..KeySpec::default()
            },
            &[],
        );
        let key = keys.get("k").unwrap();
        let (x, y) = (key.code(a), key.code(b));
        let view = keys.freeze();
        let dict = &view.get(key.id).unwrap().dict;
        assert_eq!(dict.canonical(x), dict.canonical(y), "{a} = {b}");
        // Whole numbers have one spelling.
        let spelling = if kind == KeyType::Int { b } else { a };
        assert_eq!(view.get(key.id).unwrap().spelling(x).unwrap(), spelling);
    }
}

#[test]
fn aliases_lead_to_the_same_key() {
    let keys = Keys::default();
    keys.define("parsl.task", KeySpec::default(), &["parsl_task_id".into()]);
    assert_eq!(
        keys.get("parsl_task_id").unwrap().id,
        keys.get("parsl.task").unwrap().id
    );
    assert_eq!(
        keys.freeze().find("parsl_task_id"),
        keys.freeze().find("parsl.task")
    );
}

#[test]
fn keys_of_joins_store_all_values() {
    let keys = Keys::default();
    keys.define(
        "sys.id",
        KeySpec {
            deferred: true,
            ..KeySpec::default()
        },
        &["id".into()],
    );
    keys.store_always(["id", "p"]);
    let mut encoder = Encoder::default();
    for name in ["sys.id", "p"] {
        let key = keys.get(name).unwrap();
        for n in 0..20_000 {
            let value = format!("x{n}{}", "y".repeat(200));
            assert_ne!(encoder.code(&key, value.as_bytes()), DEFER);
        }
        assert!(!key.has_unstored_values());
        assert_eq!(encoder.code(&key, &[b'z'; MAX_ALWAYS_STORED + 1]), DEFER);
        assert!(key.has_unstored_values());
    }
    let other = keys.get("q").unwrap();
    let last = (0..20_000)
        .map(|n| encoder.code(&other, format!("x{n}").as_bytes()))
        .last();
    assert!(last == Some(DEFER) && other.has_unstored_values());
}

#[test]
fn ids_in_base64_are_those_in_hexadecimal_digits() {
    let form = |text: &str| KeyType::Hex.canonical(text);
    assert_eq!(
        form("713CFQSTTUucV5eNdIo/rA==").as_deref(),
        Some("ef5dc21504934d4b9c57978d748a3fac")
    );
    assert_eq!(form("wrWdG+nJKkA=").as_deref(), Some("c2b59d1be9c92a40"));
    assert_eq!(form("0xC2B59D1B").as_deref(), Some("c2b59d1b"));
    for text in ["c2b59d1be9c92a40", "", "=", "c2b59d1=="] {
        assert_eq!(form(text), None, "{text}");
    }
}
