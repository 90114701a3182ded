//! Definitions in force: the built-in ones and the user's, which replace built-in ones of the same name.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::definitions::embedded::SYSTEMS;

use widetui_definition::error::{DefError, FileText};
use widetui_definition::error_recovery::{self, CutParts};
use widetui_definition::syntax::{self, Definition};

/// System with its definition file.
#[derive(Debug)]
pub struct System {
    /// Path of the file, as shown to the user.
    pub file: String,
    /// Text of the file.
    pub(crate) text: Cow<'static, str>,
    /// Whether it is built in.
    pub builtin: bool,
    /// Parsed definition.
    pub def: Definition,
}

impl System {
    /// Short name.
    pub fn name(&self) -> &str {
        self.def.name.get_ref()
    }

    /// Text with its path, for messages with positions.
    pub fn origin(&self) -> FileText<'_> {
        FileText {
            file: &self.file,
            text: &self.text,
        }
    }
}

/// All definitions in force, one per name.
#[derive(Clone, Debug, Default)]
pub struct Systems {
    /// Definitions, sorted by name.
    pub(crate) list: Vec<Arc<System>>,
}

impl Systems {
    /// Built-in definitions. They are unpacked once, because both the load and the analyses start with them; every
    /// thread that calls this while they are being unpacked takes part.
    pub fn builtin() -> Systems {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        static ALL: LazyLock<Systems> = LazyLock::new(|| {
            let all = BUILT_IN.iter().filter_map(BuiltIn::read);
            let mut list: Vec<Arc<System>> = all.cloned().collect();
            list.sort_by(|a, b| a.name().cmp(b.name()));
            Systems { list }
        });
        let indices = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
        for one in indices.map_while(|at| BUILT_IN.get(at)) {
            one.read();
        }
        ALL.clone()
    }

    /// Adds a definition without checks; it replaces the definition of the same name.
    pub(crate) fn put(&mut self, system: System) {
        self.list.retain(|s| s.name() != system.name());
        self.list.push(Arc::new(system));
        self.list.sort_by(|a, b| a.name().cmp(b.name()));
    }

    /// All systems, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<System>> + Clone {
        self.list.iter()
    }

    /// System with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<System>> {
        self.list.iter().find(|s| s.name() == name)
    }
}

/// Built-in definitions, longest first: the last one to be unpacked should be a short one.
static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    let mut all: Vec<BuiltIn> = SYSTEMS.iter().map(BuiltIn::of).collect();
    all.sort_by_key(|one| Reverse(one.packed.len()));
    all
});

/// Built-in definition.
struct BuiltIn {
    /// Name of its file without the extension.
    name: &'static str,
    text: &'static str,
    /// Packed form of `text`.
    packed: &'static [u8],
    read: OnceLock<Option<Arc<System>>>,
}

impl BuiltIn {
    fn of((name, text, packed): &(&'static str, &'static str, &'static [u8])) -> BuiltIn {
        BuiltIn {
            name,
            text,
            packed,
            read: OnceLock::new(),
        }
    }

    /// Unpacks the definition. A test unpacks each of them; one that fails would be missing here.
    fn read(&self) -> Option<&Arc<System>> {
        let read = || {
            Some(Arc::new(System {
                def: syntax::unpack(self.packed).ok()?,
                file: format!("systems/{}.toml", self.name),
                text: Cow::Borrowed(self.text),
                builtin: true,
            }))
        };
        self.read.get_or_init(read).as_ref()
    }
}

/// Parses a definition of the user.
///
/// # Errors
/// The text is not TOML or has settings that a definition does not allow.
pub(crate) fn read(file: &str, text: &str) -> Result<System, DefError> {
    Ok(System {
        def: syntax::read(file, text)?,
        file: file.to_owned(),
        text: Cow::Owned(text.to_owned()),
        builtin: false,
    })
}

/// Parses the valid parts of a definition of the user; also returns its errors and which parts were dropped.
pub(crate) fn read_in_part(file: &str, text: &str) -> (Option<System>, Vec<DefError>, CutParts) {
    let read = error_recovery::read(file, text);
    let system = read.def.map(|def| System {
        def,
        file: file.to_owned(),
        text: Cow::Owned(text.to_owned()),
        builtin: false,
    });
    (system, read.errors, read.cut)
}

/// `system.name`; just the system for a layout with the name of its system.
pub fn full_name(system: &str, name: &str) -> String {
    if system == name {
        name.to_owned()
    } else {
        format!("{system}.{name}")
    }
}

/// Whether the name of a layout or a dialect includes a system; inferred ones have none.
pub fn is_full_name(name: &str) -> bool {
    name.contains('.')
}
