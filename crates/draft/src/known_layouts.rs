//! Layouts and dialects of built-in definitions.

use widetui_format::definitions::systems::{Systems, full_name};
use widetui_format::layout::Layout;
use widetui_format::reader::Syntax;
use widetui_store::Source;

/// Full name of a layout, if a built-in definition has it.
pub(crate) fn known_layout(layout: &Layout) -> Option<String> {
    Systems::builtin().iter().find_map(|system| {
        let mut own = system.def.layout.iter();
        let is_it = own.find(|l| {
            full_name(system.name(), l.name.get_ref()) == layout.name
                && *l.pattern.get_ref() == layout.pattern.source
        });
        is_it.map(|l| format!("{}.{}", system.name(), l.name.get_ref()))
    })
}

/// Full name of a dialect, if a built-in definition has it.
pub(crate) fn known_dialect(name: &str) -> Option<String> {
    Systems::builtin().iter().find_map(|system| {
        let mut own = system.def.json.iter();
        let found = own.find(|j| full_name(system.name(), j.name.get_ref()) == name)?;
        Some(format!("{}.{}", system.name(), found.name.get_ref()))
    })
}

/// Signature of a source's layouts: equal for sources with the same layouts of their own. Layouts of other definitions
/// are not part of it.
pub(crate) fn layout_signature(source: &Source) -> String {
    match source.reader.as_deref().map(|r| &r.syntax) {
        Some(Syntax::Lines(layouts)) => {
            let own = layouts.iter().filter(|l| known_layout(l).is_none());
            own.map(|l| format!("{}\n", l.pattern.source)).collect()
        }
        Some(Syntax::Json(reader)) => {
            let spec = &reader.spec;
            let times: Vec<&String> = spec.time.iter().map(|t| &t.0).collect();
            format!(
                "{} {times:?} {:?} {:?}",
                spec.name, spec.level, spec.message
            )
        }
        None => String::new(),
    }
}
