//! Parsing of time zones.

use super::timeparse::parse_offset;
use super::zone::{NamedZone, ZONE_FOLDERS, Zone, ZoneError};

impl Zone {
    /// Parses `UTC` (also `GMT`, `Z`), `local`, an offset (`+02:00`, `-0600`, `+02`) or a name such as
    /// `America/Chicago`. Keywords may be in any case, names are case-sensitive.
    ///
    /// # Errors
    ///
    /// If `text` is none of these, or a name and the machine has no zone files.
    pub fn parse(text: &str) -> Result<Self, ZoneError> {
        let text = text.trim();
        if ["utc", "gmt", "z"]
            .iter()
            .any(|utc| text.eq_ignore_ascii_case(utc))
        {
            return Ok(Self::Utc);
        }
        if text.eq_ignore_ascii_case("local") {
            return Ok(Self::Local);
        }
        if let Some(offset_s) = parse_offset(text.as_bytes()) {
            return Ok(Self::Fixed(offset_s));
        }
        NamedZone::load(text, &ZONE_FOLDERS).map(Self::Named)
    }
}
