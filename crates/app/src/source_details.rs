//! Description of the source under the cursor of the table of sources.

use crate::command::Command;
use crate::model::Model;
use widetui_core::diag::Severity;
use widetui_core::level::Level;
use widetui_draft::user_drafts;
use widetui_store::source::Zoning;
use widetui_store::{Source, SourceTrait};
use widetui_tables::role::Role;
use widetui_tables::text::{cut, grouped, sanitise, wrap};

/// Maximum width of a quoted line, in columns.
const WIDEST: usize = 300;

/// Lines of the description, wrapped to `columns`: name (empty on continuation lines), text and
/// style.
pub fn lines(model: &Model, columns: u16) -> Vec<(String, String, Role)> {
    let Some(source) = model.current_source() else {
        return Vec::new();
    };
    let mut lines: Vec<(String, String, Role)> =
        vec![("path".into(), source.path.clone(), Role::Text)];
    let mut add = |name: &str, text: String, role: Role| lines.push((name.into(), text, role));
    let what = match &source.system {
        Some(system) => format!("{system}, {}", source.layout),
        None if source.is_log => {
            let keys = model.keymap.keys_of(&model.scopes(), Command::Draft);
            let drafts = keys.filter(|_| user_drafts::is_unknown(source));
            let drafts = drafts.map_or(String::new(), |k| format!(": {k} drafts one"));
            format!("{}, no definition claims it{drafts}", source.layout)
        }
        None => source.layout.clone(),
    };
    add("format", what, Role::Text);
    if source.is_log {
        let levels: Vec<String> = Level::ALL
            .iter()
            .zip(source.stats.levels)
            .filter(|(_, n)| *n > 0)
            .map(|(l, n)| {
                let name = if l.name().is_empty() {
                    "without a level"
                } else {
                    l.name()
                };
                format!("{} {name}", grouped(n))
            })
            .collect();
        add("records", levels.join(" · "), Role::Text);
        if source.stats.timeless > 0 {
            let text = match source.stats.timeless {
                1 => "1 record without a time".to_owned(),
                n => format!("{} records without a time", grouped(n)),
            };
            add("times", text, Role::Text);
        }
        if let Zoning::Local { how, .. } = &source.zoning {
            add("zone", how.clone(), Role::Text);
        }
    }
    for problem in &source.problems {
        let (name, role) = match problem.severity {
            Severity::Note => ("note", Role::Text),
            Severity::Warning => ("warning", Role::WarningText),
            Severity::Error => ("error", Role::ErrorText),
        };
        add(name, problem.message(), role);
        if let Some(offset) = problem.offset {
            let (place, text) = spot(model, source, offset);
            add("first", place, Role::Text);
            if !text.is_empty() {
                add("", text, Role::Muted);
            }
        }
    }
    let room = usize::from(columns.saturating_sub(12));
    let wrapped = lines.into_iter().flat_map(|(name, text, role)| {
        let pieces = wrap(&sanitise(&text), room);
        let names = std::iter::once(name).chain(std::iter::repeat(String::new()));
        names
            .zip(pieces)
            .map(move |(name, piece)| (name, piece, role))
    });
    wrapped.collect()
}

/// Location of a problem, and the text at this location; the byte offset alone until the text is
/// loaded.
fn spot(model: &Model, source: &Source, offset: u64) -> (String, String) {
    let byte = format!("byte {}", grouped(offset));
    let Some(spot) = model.problems.spots.get(&(source.id, offset)) else {
        return (byte, String::new());
    };
    let what = if source.has_trait(SourceTrait::Synthetic) {
        "record"
    } else {
        "line"
    };
    let place = match spot.line {
        Some(n) => format!("{what} {}, {byte}", grouped(n)),
        None => format!("{byte}, which cannot be read again"),
    };
    (place, cut(&sanitise(&spot.text), WIDEST).into_owned())
}

/// Height of the description, in rows. A minimum that few sources exceed keeps the list from
/// jumping.
pub(crate) fn rows(model: &Model, columns: u16) -> u16 {
    (lines(model, columns).len().max(4)) as u16
}
