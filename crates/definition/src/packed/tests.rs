use proptest::prelude::*;
use toml::Spanned;

use super::*;

#[derive(Debug, serde::Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "compared as it is printed")]
struct All {
    text: Spanned<String>,
    maybe: Option<Spanned<i64>>,
    colour: Spanned<Colour>,
    other: Option<Colour>,
    #[serde(default)]
    list: Vec<Spanned<toml::Value>>,
    #[serde(default)]
    three: Vec<[u8; 3]>,
    #[serde(default)]
    table: toml::Table,
}

const TEXT: &str = r#"
text = "a\tü" # a comment
maybe = -300
colour = "green"
other = "red"
list = [true, false, 0x10, -9223372036854775808, 9223372036854775807, 1.5, -inf, 'x', [], {}]
three = [[1, 2, 3], [4, 5, 255]]
[table]
z = 1
a.b = { c = """
lines""" }
"#;

#[test]
fn all_kinds_of_values_are_read_as_the_toml_reader_reads_them() {
    let written: All = toml::from_str(TEXT).unwrap();
    let packed: All = read(&pack::pack(TEXT).unwrap()).unwrap();
    assert_eq!(format!("{written:?}"), format!("{packed:?}"));
    assert_eq!(*packed.colour.get_ref(), Colour::Green);
    assert_eq!(packed.maybe.unwrap().span(), 36..40);
}

#[test]
fn values_of_the_wrong_type_are_errors() {
    let fails = |text: &str| read::<All>(&pack::pack(text).unwrap()).unwrap_err();
    let start = "text = 'x'\ncolour = 'red'\n";
    let message = fails(&format!("{start}wrong = 1")).to_string();
    assert!(message.contains("unknown field `wrong`"), "{message}");
    fails("text = 'x'");
    fails("text = 'x'\ncolour = 1");
    fails("text = 'x'\ncolour = 'blue'");
    fails(&format!("{start}three = [[1, 2, 3, 4]]"));
    fails(&format!("{start}three = [[1, 2]]"));
    assert!(pack::pack("time = 2026-11-21").is_err());
    assert!(pack::pack("no toml").is_err());
}

proptest! {
    #[test]
    fn cut_and_damaged_bytes_are_an_error_or_read(
        cut in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let whole = pack::pack(TEXT).unwrap();
        let cut = cut.index(whole.len());
        prop_assert!(read::<All>(&whole[..cut]).is_err());
        let mut damaged = whole.clone();
        damaged[at.index(whole.len())] = byte;
        let _ = read::<All>(&damaged);
    }
}
