//! Compiler of time layouts to steps.

use super::fixed::{SECONDS, TAI64N_LEN};
use super::steps::{Calendar, DayBy, Finest, Number, Padding, Step, first_bytes_of_months};
use super::{Reject, Shape, TimePattern};

/// Error in a time layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimePatternError {
    /// The layout is empty.
    #[error(
        "the time layout is empty: write `epoch`, `iso`, `tai64n` or a layout such as `%Y-%m-%d %H:%M:%S`"
    )]
    Empty,
    /// Unknown `%` sequence.
    #[error(
        "`{what}` at byte {at} of the time layout means nothing; known are %Y %y %m %b %B %d %e %j %a %A %H %k %I %l %p %M %S %f %3f %.f %z %Z %s %F %T %R %D %%"
    )]
    Unknown {
        /// Sequence, starting with its percent sign.
        what: String,
        /// Byte offset of the sequence in the layout.
        at: usize,
    },
    /// A component is present without another that it requires.
    #[error("the time layout has {has} but not {lacks}")]
    Incomplete {
        /// Component that is present.
        has: &'static str,
        /// Missing component.
        lacks: &'static str,
    },
}

pub(super) fn compile(spec: &str) -> Result<TimePattern, TimePatternError> {
    let epoch = |unit_ns: u32| (Shape::Epoch { unit_ns }, epoch_reject());
    let (shape, reject, fixed_len) = match spec {
        "" => return Err(TimePatternError::Empty),
        "epoch" => with_any_length(epoch(SECONDS)),
        "epoch_ms" => with_any_length(epoch(1_000_000)),
        "epoch_us" => with_any_length(epoch(1_000)),
        "epoch_ns" => with_any_length(epoch(1)),
        "iso" => with_any_length((Shape::Iso, iso_reject())),
        "tai64n" => (Shape::Tai64n, tai64n_reject(), Some(TAI64N_LEN)),
        layout => {
            let steps = steps_of(layout)?;
            let calendar = calendar_of(&steps)?;
            let reject = reject_of(&steps);
            let fixed_len = steps.iter().map(|&s| width(s).fixed()).sum();
            (shape_of(steps, calendar), reject, fixed_len)
        }
    };
    Ok(TimePattern {
        spec: spec.into(),
        shape,
        reject,
        fixed_len,
    })
}

fn with_any_length((shape, reject): (Shape, Reject)) -> (Shape, Reject, Option<usize>) {
    (shape, reject, None)
}

fn steps_of(layout: &str) -> Result<Vec<Step>, TimePatternError> {
    use Number as N;
    use Padding::{Blank, None as Bare, Tight, Zero};
    let bytes = layout.as_bytes();
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some([byte, after @ ..]) = bytes.get(at..) {
        if *byte != b'%' {
            steps.push(Step::Byte(*byte));
            at += 1;
            continue;
        }
        let (new, len): (&[Step], usize) = match after {
            [b'Y', ..] => (&[Step::Year], 1),
            [b'y', ..] => (&[Step::ShortYear], 1),
            [b'm', ..] => (&[Step::Number(N::Month, Zero)], 1),
            [b'd', ..] => (&[Step::Number(N::Day, Zero)], 1),
            [b'H', ..] => (&[Step::Number(N::Hour, Zero)], 1),
            [b'I', ..] => (&[Step::Number(N::HourOf12, Zero)], 1),
            [b'M', ..] => (&[Step::Number(N::Minute, Zero)], 1),
            [b'S', ..] => (&[Step::Number(N::Second, Zero)], 1),
            [b'e', ..] => (&[Step::Number(N::Day, Blank)], 1),
            [b'k', ..] => (&[Step::Number(N::Hour, Blank)], 1),
            [b'l', ..] => (&[Step::Number(N::HourOf12, Blank)], 1),
            [b'-', b'm', b'%', b'd', ..] => (
                &[Step::Number(N::Month, Tight), Step::Number(N::Day, Zero)],
                4,
            ),
            [b'-', b'm', ..] => (&[Step::Number(N::Month, Bare)], 2),
            [b'-', b'd', ..] => (&[Step::Number(N::Day, Bare)], 2),
            [b'-', b'H', ..] => (&[Step::Number(N::Hour, Bare)], 2),
            [b'-', b'I', ..] => (&[Step::Number(N::HourOf12, Bare)], 2),
            [b'-', b'M', ..] => (&[Step::Number(N::Minute, Bare)], 2),
            [b'-', b'S', ..] => (&[Step::Number(N::Second, Bare)], 2),
            [b'b' | b'h', ..] => (&[Step::ShortMonth], 1),
            [b'B', ..] => (&[Step::LongMonth], 1),
            [b'a', ..] => (&[Step::ShortWeekday], 1),
            [b'A', ..] => (&[Step::LongWeekday], 1),
            [b'j', ..] => (&[Step::DayOfYear], 1),
            [b'p', ..] => (&[Step::HalfDay], 1),
            [b'f', ..] => (&[Step::Fraction], 1),
            [b'.', b'f', ..] => (&[Step::OptionalFraction], 2),
            [n @ b'1'..=b'9', b'f', ..] => (&[Step::FractionOf(usize::from(n - b'0'))], 2),
            [b'.', n @ b'1'..=b'9', b'f', ..] => {
                (&[Step::PointFractionOf(usize::from(n - b'0'))], 3)
            }
            [b'z', ..] => (&[Step::Offset], 1),
            [b'Z', ..] => (&[Step::ZoneName], 1),
            [b's', ..] => (&[Step::EpochSeconds], 1),
            [b'%', ..] => (&[Step::Byte(b'%')], 1),
            [c @ (b'F' | b'T' | b'R' | b'D'), ..] => {
                let full = match c {
                    b'F' => "%Y-%m-%d",
                    b'T' => "%H:%M:%S",
                    b'R' => "%H:%M",
                    _ => "%m/%d/%y",
                };
                steps.extend(steps_of(full)?);
                (&[], 1)
            }
            _ => {
                return Err(TimePatternError::Unknown {
                    what: unknown_at(layout, at),
                    at,
                });
            }
        };
        steps.extend_from_slice(new);
        at += 1 + len;
    }
    Ok(steps)
}

/// Text of an unknown sequence for an error message: from the percent sign through the first letter.
fn unknown_at(layout: &str, at: usize) -> String {
    let mut what = String::new();
    for c in layout[at..].chars().take(4) {
        what.push(c);
        if c.is_alphabetic() {
            break;
        }
    }
    what
}

fn calendar_of(steps: &[Step]) -> Result<Calendar, TimePatternError> {
    let has = |wanted: fn(&Step) -> bool| steps.iter().any(wanted);
    let lacks = |has, lacks| Err(TimePatternError::Incomplete { has, lacks });
    let year = has(|s| matches!(s, Step::Year | Step::ShortYear));
    let month = has(|s| {
        matches!(
            s,
            Step::ShortMonth | Step::LongMonth | Step::Number(Number::Month, _)
        )
    });
    let day = has(|s| matches!(s, Step::Number(Number::Day, _)));
    let hour_of_12 = has(|s| matches!(s, Step::Number(Number::HourOf12, _)));
    let half_day = has(|s| matches!(s, Step::HalfDay));
    let hour = hour_of_12 || has(|s| matches!(s, Step::Number(Number::Hour, _)));
    let minute = has(|s| matches!(s, Step::Number(Number::Minute, _)));
    let second = has(|s| matches!(s, Step::Number(Number::Second, _)));
    let fraction = has(|s| {
        matches!(
            s,
            Step::Fraction
                | Step::FractionOf(_)
                | Step::OptionalFraction
                | Step::PointFractionOf(_)
        )
    });
    if has(|s| matches!(s, Step::EpochSeconds)) {
        return Ok(Calendar {
            day: DayBy::Epoch,
            year: true,
            finest: Finest::Second,
        });
    }
    let day = if has(|s| matches!(s, Step::DayOfYear)) {
        DayBy::DayOfYear
    } else {
        match (month, day) {
            (true, true) => DayBy::MonthAndDay,
            (true, false) => return lacks("a month", "a day"),
            (false, true) => return lacks("a day", "a month"),
            (false, false) if year => return lacks("a year", "a month and a day"),
            (false, false) => DayBy::Nothing,
        }
    };
    let finest = match (hour, minute, second) {
        (false, true, _) | (false, _, true) => return lacks("minutes or seconds", "hours"),
        (true, false, true) => return lacks("seconds", "minutes"),
        _ if fraction && !second => return lacks("a fraction", "seconds"),
        _ if hour_of_12 && !half_day => return lacks("an hour of 12 (%I)", "%p"),
        (true, true, true) => Finest::Second,
        (true, true, false) => Finest::Minute,
        (true, false, false) => Finest::Hour,
        (false, false, false) if day == DayBy::Nothing => {
            return lacks("text", "a date or a time of day");
        }
        (false, false, false) => Finest::Day,
    };
    Ok(Calendar { day, year, finest })
}

/// Selects the straight-line parser for layouts that start with a full date and time.
fn shape_of(mut steps: Vec<Step>, calendar: Calendar) -> Shape {
    use Padding::Zero;
    if let [
        Step::Year,
        Step::Byte(date_separator),
        Step::Number(Number::Month, Zero),
        Step::Byte(second_separator),
        Step::Number(Number::Day, Zero),
        Step::Byte(middle),
        Step::Number(Number::Hour, Zero),
        Step::Byte(b':'),
        Step::Number(Number::Minute, Zero),
        Step::Byte(b':'),
        Step::Number(Number::Second, Zero),
        rest @ ..,
    ] = steps.as_slice()
        && date_separator == second_separator
        && rest.iter().all(|s| keeps_date_and_time(*s))
    {
        let (date_separator, middle) = (*date_separator, *middle);
        let rest = steps.split_off(11).into_boxed_slice();
        return Shape::DateTime {
            date_separator,
            middle,
            rest,
        };
    }
    Shape::Steps {
        steps: steps.into_boxed_slice(),
        calendar,
    }
}

/// Whether a step changes nothing but the fraction and the zone.
const fn keeps_date_and_time(step: Step) -> bool {
    matches!(
        step,
        Step::Byte(_)
            | Step::Fraction
            | Step::FractionOf(_)
            | Step::OptionalFraction
            | Step::PointFractionOf(_)
            | Step::Offset
            | Step::ZoneName
            | Step::ShortWeekday
            | Step::LongWeekday
    )
}

/// Length of the text that a step parses, in bytes.
#[derive(Clone, Copy)]
enum Width {
    Exactly(usize),
    AtLeast(usize),
}

impl Width {
    const fn fixed(self) -> Option<usize> {
        match self {
            Self::Exactly(n) => Some(n),
            Self::AtLeast(_) => None,
        }
    }

    const fn min(self) -> usize {
        match self {
            Self::Exactly(n) | Self::AtLeast(n) => n,
        }
    }
}

const fn width(step: Step) -> Width {
    match step {
        Step::Byte(_) => Width::Exactly(1),
        Step::Number(_, Padding::Zero) | Step::ShortYear => Width::Exactly(2),
        Step::HalfDay => Width::AtLeast(2),
        Step::ShortWeekday | Step::DayOfYear => Width::Exactly(3),
        Step::Year => Width::Exactly(4),
        Step::FractionOf(n) => Width::Exactly(n),
        Step::PointFractionOf(n) => Width::Exactly(n + 1),
        Step::ShortMonth | Step::LongMonth => Width::AtLeast(3),
        Step::LongWeekday => Width::AtLeast(6),
        Step::OptionalFraction => Width::AtLeast(0),
        Step::Number(..) | Step::Fraction | Step::Offset | Step::ZoneName | Step::EpochSeconds => {
            Width::AtLeast(1)
        }
    }
}

fn allow(set: &mut [u64; 4], bytes: impl IntoIterator<Item = u8>) {
    for b in bytes {
        if let Some(word) = set.get_mut(usize::from(b >> 6)) {
            *word |= 1 << (b & 63);
        }
    }
}

/// Adds the bytes that a step can start with.
fn allow_first(set: &mut [u64; 4], step: Step) {
    match step {
        Step::Byte(b) => allow(set, [b]),
        Step::ShortMonth => allow(set, first_bytes_of_months()),
        Step::LongMonth => allow(set, *b"jfmasondJFMASOND"),
        Step::ShortWeekday | Step::LongWeekday => allow(set, *b"mtwfsMTWFS"),
        Step::HalfDay => allow(set, *b"apAP\xe4\xe5\xec"),
        Step::OptionalFraction | Step::PointFractionOf(_) => allow(set, *b".,"),
        Step::Offset => allow(set, *b"+-Zz"),
        Step::ZoneName => allow(set, (b'a'..=b'z').chain(b'A'..=b'Z')),
        Step::Number(_, Padding::Blank) => allow(set, (b'0'..=b'9').chain([b' '])),
        Step::Year
        | Step::ShortYear
        | Step::Number(..)
        | Step::DayOfYear
        | Step::Fraction
        | Step::FractionOf(_)
        | Step::EpochSeconds => allow(set, b'0'..=b'9'),
    }
}

fn reject_of(steps: &[Step]) -> Reject {
    let mut first = [0; 4];
    for &step in steps {
        allow_first(&mut first, step);
        if step != Step::OptionalFraction {
            break;
        }
    }
    let mut at = 0;
    let mut anchor = None;
    for &step in steps {
        if let Step::Byte(byte) = step
            && at > 0
        {
            anchor = Some((at, byte));
            break;
        }
        match width(step) {
            Width::Exactly(n) => at += n,
            Width::AtLeast(_) => break,
        }
    }
    Reject {
        first,
        anchor,
        min_len: steps.iter().map(|&s| width(s).min()).sum(),
    }
}

fn epoch_reject() -> Reject {
    reject_of(&[Step::EpochSeconds])
}

fn tai64n_reject() -> Reject {
    Reject {
        anchor: Some((1, b'4')),
        min_len: TAI64N_LEN,
        ..reject_of(&[Step::Byte(b'@')])
    }
}

fn iso_reject() -> Reject {
    Reject {
        anchor: Some((4, b'-')),
        min_len: 16,
        ..reject_of(&[Step::Year])
    }
}
