//! The definitions in force: those the program carries and those of the user, who wins by name.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use crate::base::embedded::SYSTEMS;

use super::catalog::Catalog;
use super::check;
use super::def::{self, Definition};
use super::deferror::{DefError, FileText};
use super::kinds::Compiled;
use super::mistakes::{self, Cut};

/// One system: its file and what it says.
#[derive(Debug)]
pub struct System {
    /// File as the user would name it.
    pub file: String,
    /// Its text.
    pub text: Cow<'static, str>,
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
    list: Vec<Arc<System>>,
}

impl Systems {
    /// Those the program carries; read once, as both the load and the analyses start with them.
    pub fn builtin() -> Systems {
        static BUILTIN: LazyLock<Systems> = LazyLock::new(|| {
            // A test reads each of them; one that could not be read would be missing here.
            let next = AtomicUsize::new(0);
            let read = || -> Vec<System> {
                let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let rest = indices.map_while(|at| SYSTEMS.get(at));
                rest.filter_map(carried).collect()
            };
            // Whatever else is to be done waits for them.
            let mut list = std::thread::scope(|scope| {
                let beside = std::thread::Builder::new().spawn_scoped(scope, read);
                let mut list = read();
                list.extend(beside.ok().and_then(|b| b.join().ok()).unwrap_or_default());
                list
            });
            list.sort_by(|a, b| a.name().cmp(b.name()));
            let list = list.into_iter().map(Arc::new).collect();
            Systems { list }
        });
        BUILTIN.clone()
    }

    /// Adds one definition; takes the place of one with the same name.
    ///
    /// # Errors
    /// The first mistake in it, with its place.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), DefError> {
        let system = read(file, text)?;
        let mut with = self.clone();
        let name = system.name().to_owned();
        with.put(system);
        if let Some(error) = check::names(&with, &name).into_iter().next() {
            return Err(error);
        }
        *self = with;
        Ok(())
    }

    fn put(&mut self, system: System) {
        self.list.retain(|s| s.name() != system.name());
        self.list.push(Arc::new(system));
        self.list.sort_by(|a, b| a.name().cmp(b.name()));
    }

    /// As `add`, without looking at patterns and names.
    pub(super) fn put_unchecked(&mut self, system: System) {
        self.put(system);
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<System>> {
        self.list.iter()
    }

    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<System>> {
        self.list.iter().find(|s| s.name() == name)
    }

    /// Tells the tables what is known about keys, and makes ready to choose among kinds of sources. Patterns are
    /// compiled when they are first needed.
    pub fn compile(&self, tables: &Arc<Catalog>) -> Compiled {
        Compiled::new(&self.list, tables)
    }
}

/// One that the program carries: file name, text, and the same packed.
fn carried((name, text, packed): &(&str, &'static str, &[u8])) -> Option<System> {
    Some(System {
        def: def::unpack(packed).ok()?,
        file: format!("systems/{name}.toml"),
        text: Cow::Borrowed(text),
        builtin: true,
    })
}

/// Reads a definition of the user.
///
/// # Errors
/// Where it is not TOML, or not what a definition may say.
pub(super) fn read(file: &str, text: &str) -> Result<System, DefError> {
    Ok(System {
        def: def::read(file, text)?,
        file: file.to_owned(),
        text: Cow::Owned(text.to_owned()),
        builtin: false,
    })
}

/// Reads whatever can be read of a definition of the user.
pub(super) fn read_in_part(file: &str, text: &str) -> (Option<System>, Vec<DefError>, Cut) {
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
