//! Interpreter of arbitrary layouts: a flat list of steps.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::digits::{Fraction, digit, exactly, fraction, fraction_at_most, integer};
use super::fixed::{CivilSecond, LEAP_SECOND_BILLIONTHS, offset, resolution_of};
use super::{Stamp, StampZone, zone_abbreviation, zone_region};
use crate::time::{
    NS_PER_DAY, NS_PER_HOUR, NS_PER_MINUTE, days_from_civil, days_in_month, is_leap_year, nanos_of,
};
use crate::zone::Zone;

/// Calendar field of one or two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Month,
    Day,
    Hour,
    HourOf12,
    Minute,
    Second,
}

/// Padding of a number of one or two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// Always two digits.
    Zero,
    /// Leading blank in place of the first digit, or one digit.
    Blank,
    /// One or two digits.
    None,
    /// One or two digits, directly followed by a number of two digits: `314`, `1225`.
    Tight,
}

/// Parsing step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Literal byte.
    Byte(u8),
    /// Year of four digits.
    Year,
    /// Year of two digits.
    ShortYear,
    /// Numeric field of the date or time of day.
    Number(Number, Padding),
    /// Month, abbreviated.
    ShortMonth,
    /// Month, full name.
    LongMonth,
    /// Weekday, three letters.
    ShortWeekday,
    /// Weekday, full name.
    LongWeekday,
    /// Day of the year, three digits.
    DayOfYear,
    /// AM or PM.
    HalfDay,
    /// Fraction of one to nine digits.
    Fraction,
    /// Fraction of exactly this many digits.
    FractionOf(usize),
    /// Dot or comma and a fraction, or nothing.
    OptionalFraction,
    /// Dot or comma and exactly this many digits.
    PointFractionOf(usize),
    /// Offset such as `+02:00`.
    Offset,
    /// Zone abbreviation such as `UTC` or `CEST`.
    ZoneName,
    /// Seconds since the epoch.
    EpochSeconds,
}

/// Components that a layout has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Calendar {
    /// Representation of the day.
    pub(super) day: DayBy,
    /// Whether the year is present.
    pub(super) year: bool,
    /// Finest whole unit.
    pub(super) finest: Finest,
}

/// Representation of the day in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayBy {
    Nothing,
    MonthAndDay,
    DayOfYear,
    /// Seconds since the epoch, which determine all other fields as well.
    Epoch,
}

/// Finest whole unit of a layout (fractions are always of seconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finest {
    Day,
    Hour,
    Minute,
    Second,
}

/// Values parsed so far.
#[derive(Default)]
struct Fields {
    year: i64,
    month: u32,
    day: u32,
    day_of_year: u32,
    hour: u32,
    minute: u32,
    second: u32,
    /// Half of the day (`false` for AM), combined with `hour_of_12` to an hour from 0 to 23.
    afternoon: Option<bool>,
    hour_of_12: Option<u32>,
    billionths: u32,
    fraction_digits: usize,
    offset_s: Option<i64>,
    /// Zone by its name in the tz database.
    region: Option<&'static Zone>,
    epoch_s: i64,
}

const MONTHS: [&[u8]; 12] = [
    b"january",
    b"february",
    b"march",
    b"april",
    b"may",
    b"june",
    b"july",
    b"august",
    b"september",
    b"october",
    b"november",
    b"december",
];

/// Names of months in other languages that differ from English, abbreviated (without the dot that may follow) and in full,
/// in the order of the months: as the C library and Java write them (glibc 2.38, CLDR 44).
const OTHER_MONTHS: [&[&str]; 12] = [
    &[
        "ene", "gen", "janv", "jän", "sty", "led", "oca", "янв", "січ", "tammi", "一月", "januar",
        "janvier", "enero", "gennaio", "janeiro", "januari",
    ],
    &[
        "fev",
        "févr",
        "fevr",
        "febr",
        "lut",
        "úno",
        "şub",
        "фев",
        "февр",
        "лют",
        "helmi",
        "二月",
        "februar",
        "février",
        "febrero",
        "febbraio",
        "fevereiro",
        "februari",
    ],
    &[
        "mrt",
        "mrz",
        "mär",
        "märz",
        "mars",
        "márc",
        "bře",
        "мар",
        "марта",
        "бер",
        "maalis",
        "三月",
        "marzo",
        "março",
        "maart",
    ],
    &[
        "abr", "avr", "avril", "ápr", "kwi", "dub", "nis", "апр", "кві", "квіт", "huhti", "四月",
        "abril", "aprile",
    ],
    &[
        "mai", "mag", "mei", "maj", "máj", "kvě", "мая", "май", "тра", "трав", "touko", "五月",
        "mayo", "maggio", "maio",
    ],
    &[
        "giu", "juin", "juni", "jún", "cze", "čen", "haz", "июн", "июня", "чер", "черв", "kesä",
        "六月", "junio", "giugno", "junho",
    ],
    &[
        "lug", "juil", "juli", "júl", "čec", "tem", "июл", "июля", "лип", "heinä", "七月",
        "juillet", "julio", "luglio", "julho",
    ],
    &[
        "ago", "août", "aout", "sie", "srp", "ağu", "авг", "сер", "серп", "elo", "八月", "agosto",
        "augustus",
    ],
    &[
        "set",
        "sept",
        "szept",
        "wrz",
        "zář",
        "eyl",
        "сен",
        "сент",
        "вер",
        "syys",
        "九月",
        "septembre",
        "septiembre",
        "settembre",
        "setembro",
    ],
    &[
        "ott", "out", "okt", "paź", "říj", "eki", "окт", "жов", "жовт", "loka", "十月", "octobre",
        "oktober", "octubre", "ottobre", "outubro",
    ],
    &[
        "lis",
        "kas",
        "ноя",
        "нояб",
        "лис",
        "лист",
        "marras",
        "十一月",
        "novembre",
        "noviembre",
        "novembro",
    ],
    &[
        "dic",
        "des",
        "dez",
        "déc",
        "gru",
        "pro",
        "ara",
        "дек",
        "гру",
        "груд",
        "joulu",
        "十二月",
        "décembre",
        "dezember",
        "diciembre",
        "dicembre",
        "dezembro",
    ],
];

/// Length of the longest name of a month, bytes.
const LONGEST_MONTH: usize = 18;

/// Halves of the day in other languages: morning, afternoon.
const OTHER_HALF_DAYS: [[&str; 2]; 4] = [
    ["a. m.", "p. m."],
    ["上午", "下午"],
    ["午前", "午後"],
    ["오전", "오후"],
];

const WEEKDAYS: [&[u8]; 7] = [
    b"monday",
    b"tuesday",
    b"wednesday",
    b"thursday",
    b"friday",
    b"saturday",
    b"sunday",
];

/// Whether a word is the English name of a month or a weekday, or its first three letters, capitalised.
pub fn is_date_word(word: &[u8]) -> bool {
    let mut names = MONTHS.iter().chain(&WEEKDAYS);
    word.first().is_some_and(u8::is_ascii_uppercase) && names.any(|name| is_name(word, name))
}

/// True if a word is a name or its first three letters, in any case.
fn is_name(word: &[u8], name: &[u8]) -> bool {
    word.eq_ignore_ascii_case(name) || is_short_name(word, name)
}

#[inline]
fn is_short_name(word: &[u8], name: &[u8]) -> bool {
    let short = name.first_chunk::<3>();
    short.is_some_and(|short| word.eq_ignore_ascii_case(short))
}

/// Number (from 1) and name of which the first three letters, in any case, are at `at`.
#[inline]
fn short_name<'n>(b: &[u8], at: usize, names: &[&'n [u8]]) -> Option<(u32, &'n [u8])> {
    let three = b.get(at..at + 3)?;
    let mut names = (1..).zip(names.iter().copied());
    names.find(|(_, name)| is_short_name(three, name))
}

/// Month by its abbreviation at `at`, in any case, and its end. English has three letters.
#[inline]
fn month(b: &[u8], at: usize) -> Option<(u32, usize)> {
    let english = short_name(b, at, &MONTHS).map(|(number, _)| (number, at + 3));
    let is_whole = !b
        .get(at + 3)
        .is_some_and(|next| is_letter(*next) || *next == b'.');
    match english {
        Some(found) if is_whole => Some(found),
        _ => other_month(b, at).or(english),
    }
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// Month by its name in full or in another language, with the dot of an abbreviation.
#[cold]
fn other_month(b: &[u8], at: usize) -> Option<(u32, usize)> {
    let rest = b.get(at..)?;
    if let Some((month, end)) = numbered_month(rest) {
        return Some((month, at + end));
    }
    let letters = rest.iter().take_while(|byte| is_letter(**byte));
    let len = letters.take(LONGEST_MONTH + 1).count();
    let (name, after) = rest.split_at_checked(len)?;
    // The dot of `21.Nov.2026` is a delimiter.
    let undotted = after
        .strip_prefix(b".")
        .filter(|after| !after.first().is_some_and(u8::is_ascii_digit));
    let after = undotted.unwrap_or(after);
    // A day or a year follows: most words are no months.
    if !(3..=LONGEST_MONTH).contains(&len) || !after.iter().take(3).any(u8::is_ascii_digit) {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?;
    let name: String = name.chars().flat_map(char::to_lowercase).collect();
    let month = MONTH_NUMBERS.get(name.as_str())?;
    Some((*month, b.len() - after.len()))
}

/// Numbers of the months (from 1) by their names in lower case: English ones, with their first three letters, and the others.
static MONTH_NUMBERS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let mut numbers = HashMap::new();
    for (number, name) in (1..).zip(MONTHS) {
        let name = std::str::from_utf8(name).unwrap_or_default();
        numbers.extend([(name, number), (name.get(..3).unwrap_or(name), number)]);
    }
    for (number, names) in (1..).zip(OTHER_MONTHS) {
        for name in names {
            // A name of two months is that of the first.
            numbers.entry(*name).or_insert(number);
        }
    }
    numbers
});

/// Month as Chinese, Japanese and Korean write it, at the start of a text: `2月`, `12월`.
fn numbered_month(text: &[u8]) -> Option<(u32, usize)> {
    let (month, len) = number(text, 0, Padding::None)?;
    let sign = text.get(len..)?;
    let is_month = sign.starts_with("月".as_bytes()) || sign.starts_with("월".as_bytes());
    (is_month && (1..=12).contains(&month)).then_some((month, len + 3))
}

/// Bytes with which the abbreviation of a month can start.
pub(super) fn first_bytes_of_months() -> impl Iterator<Item = u8> {
    let english = MONTHS.iter().filter_map(|name| name.first());
    let others = OTHER_MONTHS.iter().copied().flatten();
    let first = english
        .map(|byte| char::from(*byte))
        .chain(others.filter_map(|name| name.chars().next()));
    let bytes = first.flat_map(|letter| {
        let upper: String = letter.to_uppercase().collect();
        let both = [letter.to_string(), upper];
        both.into_iter().filter_map(|text| text.bytes().next())
    });
    bytes.chain(b'0'..=b'9')
}

/// Half of the day at the start of a text (`false` for the morning), and its length.
fn half_day(text: &[u8]) -> Option<(bool, usize)> {
    match text {
        [b'A' | b'a', b'M' | b'm', ..] => Some((false, 2)),
        [b'P' | b'p', b'M' | b'm', ..] => Some((true, 2)),
        [b'A' | b'a', b'.', b'M' | b'm', b'.', ..] => Some((false, 4)),
        [b'P' | b'p', b'.', b'M' | b'm', b'.', ..] => Some((true, 4)),
        _ => OTHER_HALF_DAYS.iter().find_map(|halves| {
            let mut halves = [false, true].into_iter().zip(halves);
            let (is_afternoon, half) =
                halves.find(|(_, half)| text.starts_with(half.as_bytes()))?;
            Some((is_afternoon, half.len()))
        }),
    }
}

/// Number (from 1) and end of the full name at `at`, in any case.
fn long_name(b: &[u8], at: usize, names: &[&[u8]]) -> Option<(u32, usize)> {
    let (number, name) = short_name(b, at, names)?;
    let end = at + name.len();
    b.get(at..end)?
        .eq_ignore_ascii_case(name)
        .then_some((number, end))
}

#[inline(always)]
fn number(b: &[u8], mut at: usize, padding: Padding) -> Option<(u32, usize)> {
    if padding == Padding::Zero {
        return Some((exactly(b, at, 2)?, at + 2));
    }
    if padding == Padding::Blank && b.get(at) == Some(&b' ') {
        at += 1;
    }
    let first = digit(b, at)?;
    if padding == Padding::Tight && digit(b, at + 3).is_none() {
        return Some((first, at + 1));
    }
    Some(match digit(b, at + 1) {
        Some(second) => (first * 10 + second, at + 2),
        None => (first, at + 1),
    })
}

impl Fields {
    fn set(&mut self, number: Number, value: u32) {
        match number {
            Number::Month => self.month = value,
            Number::Day => self.day = value,
            Number::Hour => self.hour = value,
            Number::HourOf12 => self.hour_of_12 = Some(value),
            Number::Minute => self.minute = value,
            Number::Second => self.second = value,
        }
    }

    #[inline(always)]
    fn set_fraction(&mut self, read: Fraction) -> usize {
        self.billionths = read.billionths;
        self.fraction_digits = read.digits;
        read.end
    }

    /// Executes one step; returns the offset after it.
    #[inline(always)]
    fn take(&mut self, step: Step, b: &[u8], at: usize) -> Option<usize> {
        Some(match step {
            Step::Byte(byte) => {
                if *b.get(at)? != byte {
                    return None;
                }
                at + 1
            }
            Step::Number(which, padding) => {
                let (value, end) = number(b, at, padding)?;
                self.set(which, value);
                end
            }
            Step::OptionalFraction => match point_fraction(b, at) {
                Some(read) => self.set_fraction(read),
                None => at,
            },
            Step::FractionOf(width) => {
                let read = fraction_at_most(b, at, width).filter(|f| f.digits == width)?;
                self.set_fraction(read)
            }
            Step::PointFractionOf(width) => {
                if !matches!(b.get(at)?, b'.' | b',') {
                    return None;
                }
                let read = fraction_at_most(b, at + 1, width).filter(|f| f.digits == width)?;
                self.set_fraction(read)
            }
            Step::Fraction => self.set_fraction(fraction_at_most(b, at, 9)?),
            Step::Year => {
                self.year = i64::from(exactly(b, at, 4)?);
                at + 4
            }
            Step::ShortYear => {
                let year = i64::from(exactly(b, at, 2)?);
                self.year = year + if year < 69 { 2_000 } else { 1_900 };
                at + 2
            }
            Step::ShortMonth => {
                let (month, end) = month(b, at)?;
                self.month = month;
                end
            }
            Step::LongMonth => {
                let (month, end) = long_name(b, at, &MONTHS)?;
                self.month = month;
                end
            }
            Step::ShortWeekday => {
                short_name(b, at, &WEEKDAYS)?;
                at + 3
            }
            Step::LongWeekday => long_name(b, at, &WEEKDAYS)?.1,
            Step::DayOfYear => {
                self.day_of_year = exactly(b, at, 3)?;
                at + 3
            }
            Step::HalfDay => {
                let (is_afternoon, len) = half_day(b.get(at..)?)?;
                self.afternoon = Some(is_afternoon);
                at + len
            }
            Step::Offset => {
                let (offset_s, end) = offset(b, at)?;
                self.offset_s = Some(offset_s);
                end
            }
            Step::ZoneName => self.zone_name(b, at)?,
            Step::EpochSeconds => {
                let (seconds, end) = integer(b, at)?;
                self.epoch_s = i64::try_from(seconds).ok()?;
                end
            }
        })
    }

    fn zone_name(&mut self, b: &[u8], at: usize) -> Option<usize> {
        let rest = b.get(at..)?;
        let letters = rest.iter().take_while(|c| c.is_ascii_alphabetic()).count();
        let (name, after) = rest.split_at_checked(letters)?;
        if after.starts_with(b"/") {
            let (zone, len) = zone_region::at_start(rest)?;
            self.region = Some(zone);
            return Some(at + len);
        }
        if letters == 0 || letters > 6 {
            return None;
        }
        // `GMT+01:00`, `UTC+1`: the offset is complete.
        if let Some((offset_s, len)) = zone_abbreviation::utc_offset(rest) {
            self.offset_s = Some(offset_s);
            return Some(at + len);
        }
        // An offset before the abbreviation is more precise: `+0200 (CEST)`.
        if self.offset_s.is_none() {
            self.offset_s = zone_abbreviation::offset_of(name);
        }
        Some(at + letters)
    }

    /// Days since the epoch, if the day exists.
    fn days(&self, calendar: Calendar) -> Option<i64> {
        // A missing year becomes 1970, or 1972 if the day exists in leap years only.
        let leap_day = (self.month == 2 && self.day == 29) || self.day_of_year == 366;
        let year = match (calendar.year, leap_day) {
            (true, _) => self.year,
            (false, false) => 1970,
            (false, true) => 1972,
        };
        match calendar.day {
            DayBy::Nothing | DayBy::Epoch => Some(0),
            DayBy::MonthAndDay => {
                let exists = self.day >= 1 && self.day <= days_in_month(year, self.month);
                exists.then(|| days_from_civil(year, self.month, self.day))
            }
            DayBy::DayOfYear => {
                let last = 365 + u32::from(is_leap_year(year));
                let exists = self.day_of_year >= 1 && self.day_of_year <= last;
                exists.then(|| days_from_civil(year, 1, 1) + i64::from(self.day_of_year) - 1)
            }
        }
    }

    /// Hour 0 to 23, from either form of the hour.
    fn hour(&self) -> Option<u32> {
        match (self.hour_of_12, self.afternoon) {
            (Some(hour), Some(afternoon)) => (1..=12)
                .contains(&hour)
                .then_some(hour % 12 + 12 * u32::from(afternoon)),
            _ => (self.hour < 24).then_some(self.hour),
        }
    }

    fn civil(&self, calendar: Calendar) -> Option<CivilSecond> {
        let hour = self.hour()?;
        if self.minute > 59 || self.second > 60 {
            return None;
        }
        let leap = self.second == 60;
        let of_day = hour * 3_600 + self.minute * 60 + self.second - u32::from(leap);
        Some(CivilSecond {
            seconds: self.days(calendar)? * 86_400 + i64::from(of_day),
            leap,
        })
    }

    #[inline(always)]
    fn stamp(&self, civil: CivilSecond, calendar: Calendar) -> Option<Stamp> {
        let billionths = if civil.leap {
            LEAP_SECOND_BILLIONTHS
        } else {
            self.billionths
        };
        let of_region = |zone: &Zone| {
            let local = nanos_of(civil.seconds, 0)?;
            Some(zone.offset_at_local(local))
        };
        let offset_s = self.offset_s.or_else(|| of_region(self.region?));
        let (seconds, zone) = match offset_s {
            Some(offset_s) => (civil.seconds - offset_s, StampZone::Known),
            None => (civil.seconds, StampZone::Local),
        };
        Some(Stamp {
            ns: nanos_of(seconds, i64::from(billionths))?,
            zone,
            date: calendar.day != DayBy::Nothing,
            year: calendar.year,
            resolution_ns: match calendar.finest {
                Finest::Second => resolution_of(self.fraction_digits),
                Finest::Minute => NS_PER_MINUTE,
                Finest::Hour => NS_PER_HOUR,
                Finest::Day => NS_PER_DAY,
            },
        })
    }
}

/// Parses a dot or comma at `at` and a fraction.
#[inline(always)]
fn point_fraction(b: &[u8], at: usize) -> Option<Fraction> {
    match b.get(at)? {
        b'.' | b',' => fraction(b, at + 1),
        _ => None,
    }
}

/// Whether text has the form of the steps up to the seconds, as far as their lengths are fixed.
pub(super) fn has_form(steps: &[Step], b: &[u8]) -> bool {
    let mut at = 0;
    for step in steps {
        let digits = match step {
            Step::Byte(byte) if b.get(at) == Some(byte) => {
                at += 1;
                continue;
            }
            Step::Year => 4,
            Step::ShortYear | Step::Number(_, Padding::Zero) => 2,
            _ => return false,
        };
        let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        if !b.get(at..at + digits).is_some_and(is_number) {
            return false;
        }
        at += digits;
        if matches!(step, Step::Number(Number::Second, _)) {
            return true;
        }
    }
    false
}

/// Executes all steps.
pub(super) fn read(steps: &[Step], calendar: Calendar, b: &[u8]) -> Option<(Stamp, usize)> {
    let mut fields = Fields::default();
    let mut at = 0;
    for &step in steps {
        at = fields.take(step, b, at)?;
    }
    if calendar.day == DayBy::Epoch {
        let stamp = Stamp {
            ns: nanos_of(fields.epoch_s, i64::from(fields.billionths))?,
            zone: StampZone::Known,
            date: true,
            year: true,
            resolution_ns: resolution_of(fields.fraction_digits),
        };
        return Some((stamp, at));
    }
    Some((fields.stamp(fields.civil(calendar)?, calendar)?, at))
}

/// Executes the steps after a date and time of nineteen bytes already parsed.
#[inline]
pub(super) fn after_date_time(
    rest: &[Step],
    b: &[u8],
    civil: CivilSecond,
) -> Option<(Stamp, usize)> {
    const FULL: Calendar = Calendar {
        day: DayBy::MonthAndDay,
        year: true,
        finest: Finest::Second,
    };
    let mut tail = Fields::default();
    let mut at = 19;
    // The most common endings (nothing, `.mmm`, `,mmm`, an optional fraction) bypass the interpreter.
    match rest {
        [] => {}
        [Step::OptionalFraction] => {
            if let Some(read) = point_fraction(b, at) {
                at = tail.set_fraction(read);
            }
        }
        [Step::Byte(point), Step::FractionOf(width)] => {
            if b.get(at) != Some(point) {
                return None;
            }
            let read = fraction_at_most(b, at + 1, *width).filter(|f| f.digits == *width)?;
            at = tail.set_fraction(read);
        }
        _ => {
            for &step in rest {
                at = tail.take(step, b, at)?;
            }
        }
    }
    Some((tail.stamp(civil, FULL)?, at))
}
