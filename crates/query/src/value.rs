//! Comparison of values according to the type of their key: numbers numerically, everything else as text. An ordering
//! against a number holds for numbers only.

use std::cmp::Ordering;

use widetui_core::dict::{self, Code, ENTRY, MAX_DIRECT, NONE};
use widetui_core::quantity::{self, Dimension, Quantity};
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;

use crate::bits::Bits;
use crate::expr::Op;
use crate::matcher::Matcher;

/// A number as written in logs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Int(i128),
    /// Number with a fraction or a unit, in its base unit.
    Quantity(Quantity),
}

impl Number {
    /// Parses digits with an optional sign, fraction and exponent, and a unit. The words `nan` and `inf` are not accepted.
    pub(super) fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        match text.parse::<i128>() {
            Ok(n) => Some(Number::Int(n)),
            Err(_) => quantity::parse(text).map(Number::Quantity),
        }
    }

    fn value(self) -> f64 {
        match self {
            Number::Int(n) => n as f64,
            Number::Quantity(quantity) => quantity.value,
        }
    }

    /// Dimension of the unit; `None` without one.
    fn dimension(self) -> Option<Dimension> {
        match self {
            Number::Int(_) => None,
            Number::Quantity(quantity) => quantity.dimension,
        }
    }

    /// Order of two numbers; a number without a unit is in the base unit of the other. `None` for different dimensions.
    fn compare(self, other: Number) -> Option<Ordering> {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return Some(a.cmp(&b));
        }
        let dimensions = self.dimension().zip(other.dimension());
        let is_same = dimensions.is_none_or(|(a, b)| a == b);
        is_same.then(|| self.value().total_cmp(&other.value()))
    }

    fn is_equal(self, other: Number) -> bool {
        self.compare(other).is_some_and(Ordering::is_eq)
    }
}

/// Whether values of a key type are compared numerically if they parse as numbers.
fn numeric(kind: KeyType) -> bool {
    matches!(kind, KeyType::Auto | KeyType::Int | KeyType::Float)
}

/// Returns the number by which two spellings are compared for equality. For a key without a declared type, a spelling
/// with an exponent is text: `1e5` may as well be the prefix of a hash.
fn equal_number(kind: KeyType, text: &str) -> Option<Number> {
    let number = Number::parse(text).filter(|_| numeric(kind) && text.len() <= 30)?;
    let may_be_hash =
        || kind == KeyType::Auto && number.dimension().is_none() && text.contains(['e', 'E']);
    (!may_be_hash()).then_some(number)
}

/// Returns the number with which the values of a key are ordered. Text is ordered as text, unless the number has a unit.
fn order_number(kind: KeyType, text: &str) -> Option<Number> {
    let has_unit = |number: &Number| kind == KeyType::Text && number.dimension().is_some();
    Number::parse(text).filter(|number| numeric(kind) || has_unit(number))
}

#[derive(Clone, Debug)]
struct Wanted {
    canonical: String,
    number: Option<Number>,
}

#[derive(Clone, Debug)]
enum Want {
    Equal(Vec<Wanted>),
    Order(Op, Wanted),
    Match(Matcher),
    Nothing,
}

/// A test of one value. Negating operators do not occur here: `Program` turns them into "has the key, and not ...".
#[derive(Clone, Debug)]
pub(super) struct ValueTest {
    kind: KeyType,
    want: Want,
}

fn in_order(op: Op, order: Ordering) -> bool {
    match op {
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::Ge => order.is_ge(),
        _ => order.is_eq(),
    }
}

impl ValueTest {
    pub(crate) fn new(kind: KeyType, op: Op, values: &[String]) -> ValueTest {
        let canonical = |text: &str| kind.canonical(text).unwrap_or_else(|| text.to_owned());
        let first = values.first().map_or("", String::as_str);
        let want = match op {
            Op::Match | Op::NoMatch => Matcher::pattern(first).map_or(Want::Nothing, Want::Match),
            op if op.is_order() => Want::Order(
                op,
                Wanted {
                    canonical: canonical(first),
                    number: order_number(kind, first),
                },
            ),
            _ => Want::Equal(
                values
                    .iter()
                    .map(|text| Wanted {
                        canonical: canonical(text),
                        number: equal_number(kind, text),
                    })
                    .collect(),
            ),
        };
        ValueTest { kind, want }
    }

    /// Whether a value passes the test.
    pub(crate) fn accepts(&self, spelling: &str) -> bool {
        match self.kind.canonical(spelling) {
            Some(canonical) => self.accepts_both(spelling, &canonical),
            None => self.accepts_both(spelling, spelling),
        }
    }

    fn accepts_both(&self, spelling: &str, canonical: &str) -> bool {
        match &self.want {
            Want::Equal(list) => list.iter().any(|wanted| {
                wanted.canonical == canonical
                    || wanted.number.is_some_and(|number| {
                        equal_number(self.kind, canonical).is_some_and(|n| n.is_equal(number))
                    })
            }),
            Want::Order(op, wanted) => {
                let order = match wanted.number {
                    // An ordering between a word and a number never holds.
                    Some(wanted) => Number::parse(canonical).and_then(|n| n.compare(wanted)),
                    None => Some(canonical.cmp(wanted.canonical.as_str())),
                };
                order.is_some_and(|order| in_order(*op, order))
            }
            Want::Match(matcher) => matcher.is_in(spelling),
            Want::Nothing => false,
        }
    }

    /// Returns the integers in plain decimal spelling that pass the test.
    fn direct(&self) -> Direct {
        match &self.want {
            Want::Nothing => Direct::Only(Vec::new()),
            Want::Equal(list) => Direct::Only(
                list.iter()
                    .filter_map(|w| match (dict::direct(w.canonical.as_bytes()), w.number) {
                        (Some(code), _) => Some(code),
                        (None, Some(Number::Quantity(q))) if q.value.fract() == 0.0 => {
                            dict::direct(q.value.to_string().as_bytes())
                        }
                        (None, Some(Number::Int(n))) => dict::direct(n.to_string().as_bytes()),
                        _ => None,
                    })
                    .collect(),
            ),
            Want::Order(
                op,
                Wanted {
                    number: Some(number),
                    ..
                },
            ) => {
                // The integers that satisfy an ordering form one range, with a lower or an upper bound.
                let inside = |n: u32| {
                    let order = Number::Int(i128::from(n)).compare(*number);
                    order.is_some_and(|order| in_order(*op, order))
                };
                let up = matches!(op, Op::Gt | Op::Ge);
                let (mut low, mut high) = (0u32, ENTRY);
                while low < high {
                    let middle = low + (high - low) / 2;
                    if inside(middle) == up {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                if up {
                    Direct::Range(low, ENTRY)
                } else {
                    Direct::Range(0, low)
                }
            }
            Want::Order(..) | Want::Match(_) => Direct::AsText,
        }
    }
}

/// Which directly coded integers (the code is the number itself) pass a test.
#[derive(Clone, Debug)]
enum Direct {
    Only(Vec<u32>),
    /// Half-open range.
    Range(u32, u32),
    AsText,
}

/// Bits describing the values of a key in a row; the states of several cells are combined with `|`.
pub(super) mod state {
    /// The row has a value.
    pub(crate) const PRESENT: u8 = 1;
    /// A value passes the test.
    pub(crate) const YES: u8 = 2;
    /// A value is not in the column and must be read from the text.
    pub(crate) const DEFERRED: u8 = 4;
}

/// A [`ValueTest`] applied to the dictionary codes of one key.
#[derive(Clone, Debug)]
pub(super) struct CodeTest {
    /// `None`: any value passes (`has key`).
    test: Option<(ValueTest, Direct)>,
    entries: Bits,
}

impl CodeTest {
    pub(crate) fn new(test: Option<ValueTest>, key: &KeyView) -> CodeTest {
        let mut entries = Bits::none(if test.is_some() { key.dict.len() } else { 0 });
        if let Some(test) = &test {
            for (code, _) in key.dict.iter() {
                // As records are read, and shown: a pattern does not see the zeros in front of a number.
                let spelling = &*key.spelled(code).unwrap_or_default();
                let canonical = key.dict.canonical(code);
                let accepted = if canonical == code {
                    test.accepts_both(spelling, spelling)
                } else if let Some(text) = key.dict.entry(canonical) {
                    test.accepts_both(spelling, text)
                } else {
                    test.accepts_both(spelling, &canonical.to_string())
                };
                if accepted {
                    entries.set((code & !ENTRY) as usize);
                }
            }
        }
        let test = test.map(|test| {
            let direct = test.direct();
            (test, direct)
        });
        CodeTest { test, entries }
    }

    /// Returns the [`state`] of a cell with this code.
    #[inline]
    pub(crate) fn state(&self, code: Code) -> u8 {
        match code {
            NONE => 0,
            DEFER if self.test.is_none() => state::PRESENT | state::YES,
            DEFER => state::PRESENT | state::DEFERRED,
            code if self.accepts(code) => state::PRESENT | state::YES,
            _ => state::PRESENT,
        }
    }

    #[inline]
    fn accepts(&self, code: Code) -> bool {
        let Some((test, direct)) = &self.test else {
            return true;
        };
        if code > MAX_DIRECT {
            return self.entries.get((code & !ENTRY) as usize);
        }
        match direct {
            Direct::Only(codes) => codes.contains(&code),
            Direct::Range(from, to) => (*from..*to).contains(&code),
            Direct::AsText => test.accepts(&code.to_string()),
        }
    }

    /// Whether a value read from the text passes the test.
    pub(crate) fn accepts_text(&self, spelling: &str) -> bool {
        self.test
            .as_ref()
            .is_none_or(|(test, _)| test.accepts(spelling))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accepts(kind: KeyType, value: &str, op: Op, wanted: &str) -> bool {
        ValueTest::new(kind, op, &[wanted.to_owned()]).accepts(value)
    }

    #[test]
    fn values_compare_by_the_type_of_their_key() {
        use KeyType::{Auto, Bytes, Float, Text, Uuid};
        assert!(accepts(Auto, "03", Op::Eq, "3"));
        assert!(accepts(Auto, "1.50", Op::Eq, "1.5"));
        assert!(accepts(Auto, "9", Op::Lt, "10"));
        assert!(accepts(Auto, "1e-05", Op::Lt, "0.1"));
        assert!(!accepts(Auto, "1e5", Op::Eq, "100000"), "may be a hash");
        assert!(accepts(Float, "1e5", Op::Eq, "100000"));
        assert!(!accepts(Text, "03", Op::Eq, "3"));
        assert!(!accepts(Text, "9", Op::Lt, "10"));
        assert!(accepts(Bytes, "b'4f65'", Op::Eq, "4f65"));
        assert!(accepts(Uuid, "F57DE276-39", Op::Eq, "f57de27639"));
        assert!(accepts(Bytes, "b'4f65'", Op::Match, "^b'4"));
        assert!(accepts(Auto, "-3", Op::Lt, "2"));
        for op in [Op::Lt, Op::Le, Op::Gt, Op::Ge] {
            for kind in [Auto, KeyType::Int, Float] {
                assert!(!accepts(kind, "running", op, "5"), "no number");
                assert!(!accepts(kind, "", op, "5"), "no number");
            }
        }
        assert!(accepts(Auto, "running", Op::Gt, "done"));
        assert!(accepts(Auto, "5", Op::Lt, "done"), "as text");
        assert!(accepts(Text, "running", Op::Gt, "5"), "as text");
    }

    #[test]
    fn numbers_with_units_compare_by_size() {
        use KeyType::{Auto, Text};
        for kind in [Auto, Text] {
            assert!(accepts(kind, "5.76 GiB", Op::Gt, "5GiB"));
            assert!(!accepts(kind, "900.00 MiB", Op::Gt, "5GiB"));
            assert!(accepts(kind, "250ms", Op::Lt, "0.5 s"));
            assert!(!accepts(kind, "5.76 GiB", Op::Gt, "5s"), "other dimension");
        }
        assert!(accepts(Auto, "95%", Op::Ge, "95"));
        assert!(accepts(Auto, "250 ms", Op::Eq, "0.25s"));
        assert!(accepts(Auto, "2048", Op::Eq, "2KiB"), "bytes");
        assert!(!accepts(Text, "9", Op::Lt, "10"), "as text");
    }

    proptest! {
        #[test]
        fn integers_as_codes_compare_like_their_text(
            n in prop_oneof![0u32..20, 0u32..=MAX_DIRECT],
            wanted in "-?[0-9]{1,3}(\\.[05])?( ms|%)?|[a-c]|2147483647|2147483648|9{25}",
            op in proptest::sample::select(vec![Op::Eq, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Match]),
            kind in proptest::sample::select(vec![KeyType::Auto, KeyType::Int, KeyType::Float, KeyType::Text, KeyType::Uuid, KeyType::Bytes]),
        ) {
            let test = ValueTest::new(kind, op, &[wanted]);
            let codes = CodeTest { test: Some((test.clone(), test.direct())), entries: Bits::default() };
            prop_assert_eq!(codes.accepts(n), test.accepts(&n.to_string()));
        }
    }
}
