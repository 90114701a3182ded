//! The definitions in force: those the program carries and those of the user, who wins by name.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::definitions::embedded::SYSTEMS;

use widetui_definition::error::{DefError, FileText};
use widetui_definition::mistakes::{self, Cut};
use widetui_definition::syntax::{self, Definition};

/// One system: its file and what it says.
#[derive(Debug)]
pub struct System {
    /// File as the user would name it.
    pub file: String,
    /// Its text.
    pub(crate) text: Cow<'static, str>,
    /// Whether the program carries it.
    pub builtin: bool,
    /// What it says.
    pub def: Definition,
}

impl System {
    /// Short name.
    pub fn name(&self) -> &str {
        self.def.name.get_ref()
    }

    /// The text, for saying where something is.
    pub fn origin(&self) -> FileText<'_> {
        FileText {
            file: &self.file,
            text: &self.text,
        }
    }
}

/// All definitions in force, read and checked, one of each name.
#[derive(Clone, Debug, Default)]
pub struct Systems {
    pub(crate) list: Vec<Arc<System>>,
}

impl Systems {
    /// Those the program carries; read once, as both the load and the analyses start with them. Whatever else is to be done
    /// waits for them: so each thread that asks for them meanwhile takes part.
    pub fn builtin() -> Systems {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        static ALL: LazyLock<Systems> = LazyLock::new(|| {
            let all = CARRIED.iter().filter_map(Carried::read);
            let mut list: Vec<Arc<System>> = all.cloned().collect();
            list.sort_by(|a, b| a.name().cmp(b.name()));
            Systems { list }
        });
        let indices = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
        for one in indices.map_while(|at| CARRIED.get(at)) {
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

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<System>> {
        self.list.iter()
    }

    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<System>> {
        self.list.iter().find(|s| s.name() == name)
    }
}

/// Those that the program carries, the longest first: who begins to read one last is to be done soon.
static CARRIED: LazyLock<Vec<Carried>> = LazyLock::new(|| {
    let mut all: Vec<Carried> = SYSTEMS.iter().map(Carried::of).collect();
    all.sort_by_key(|one| Reverse(one.packed.len()));
    all
});

/// One that the program carries.
struct Carried {
    /// Of its file.
    name: &'static str,
    text: &'static str,
    /// The same, packed.
    packed: &'static [u8],
    read: OnceLock<Option<Arc<System>>>,
}

impl Carried {
    fn of((name, text, packed): &(&'static str, &'static str, &'static [u8])) -> Carried {
        Carried {
            name,
            text,
            packed,
            read: OnceLock::new(),
        }
    }

    /// What it says. A test reads each of them; one that could not be read would be missing.
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

/// Reads a definition of the user.
///
/// # Errors
/// Where it is not TOML, or not what a definition may say.
pub(crate) fn read(file: &str, text: &str) -> Result<System, DefError> {
    Ok(System {
        def: syntax::read(file, text)?,
        file: file.to_owned(),
        text: Cow::Owned(text.to_owned()),
        builtin: false,
    })
}

/// Reads whatever can be read of a definition of the user.
pub(crate) fn read_in_part(file: &str, text: &str) -> (Option<System>, Vec<DefError>, Cut) {
    let read = mistakes::read(file, text);
    let system = read.def.map(|def| System {
        def,
        file: file.to_owned(),
        text: Cow::Owned(text.to_owned()),
        builtin: false,
    });
    (system, read.errors, read.cut)
}

/// `system.name`; a layout that is called as its system is just that.
pub fn full_name(system: &str, name: &str) -> String {
    if system == name {
        name.to_owned()
    } else {
        format!("{system}.{name}")
    }
}

/// Whether a layout or a dialect with this name has a system's name, too: what was found in the data itself has none.
pub fn is_full_name(name: &str) -> bool {
    name.contains('.')
}
