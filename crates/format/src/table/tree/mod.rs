//! Documents that are trees of values and no JSON: MessagePack and YAML, as services dump their state. A definition says which
//! of the lists in them are records; these become lines of JSON.

mod msgpack;
mod rows;
mod yaml;

use serde_json::Value;

use widetui_source::head::SourceHead;

pub use rows::{DocumentSpec, Part, PartLines};

/// A document has at most so many bytes: all of it must be read before anything in it is known.
pub const MOST: u64 = 256 << 20;

/// The first name of a document stands in its first bytes.
const BEGINNING: usize = 256;

/// How a tree is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// In bytes.
    MessagePack,
    /// As indented text.
    Yaml,
}

impl TreeForm {
    /// What the name of a file says.
    fn named(path: &str) -> Option<TreeForm> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut ends = name.rsplit('.').map(str::to_ascii_lowercase);
        // What compressed it may stand behind.
        ends.by_ref().take(2).find_map(|end| match end.as_str() {
            "msgpack" | "mpk" => Some(TreeForm::MessagePack),
            "yaml" | "yml" => Some(TreeForm::Yaml),
            _ => None,
        })
    }

    /// What it is, for people.
    pub fn name(self) -> &'static str {
        match self {
            TreeForm::MessagePack => "MessagePack document",
            TreeForm::Yaml => "YAML document",
        }
    }

    /// Whether a document may begin with this name.
    fn begins_with(self, head: SourceHead<'_>, name: &str) -> bool {
        let text = head.bytes();
        match self {
            TreeForm::MessagePack => {
                let is_map = matches!(text.first(), Some(0x80..=0x8f | 0xde | 0xdf));
                let beginning = &text[..text.len().min(BEGINNING)];
                is_map && memchr::memmem::find(beginning, name.as_bytes()).is_some()
            }
            TreeForm::Yaml => {
                let lines = text.split(|b| *b == b'\n');
                let mut lines = lines
                    .filter(|l| !l.is_empty() && !l.starts_with(b"---") && !l.starts_with(b"#"));
                let first = lines.next().and_then(|l| l.strip_prefix(name.as_bytes()));
                first.is_some_and(|rest| rest.starts_with(b":"))
            }
        }
    }

    /// What the document says.
    ///
    /// # Errors
    /// Where it cannot be read, for people.
    pub fn read(self, bytes: &[u8]) -> Result<Value, String> {
        match self {
            TreeForm::MessagePack => msgpack::read(bytes),
            TreeForm::Yaml => yaml::read(bytes),
        }
    }
}

/// How a file is written that may be one of some documents, by its name and its first bytes.
pub fn look<D: IntoIterator<Item = DocumentSpec>>(
    path: &str,
    head: SourceHead<'_>,
    specs: impl FnOnce() -> D,
) -> Option<TreeForm> {
    let form = TreeForm::named(path)?;
    let is_one = |spec: DocumentSpec| {
        let mut names = spec.first_names();
        names.any(|name| form.begins_with(head, name))
    };
    specs().into_iter().any(is_one).then_some(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_name_and_its_first_word() {
        let spec = DocumentSpec::new(&["scheduler.log", "workers"], &[]);
        let look = |path: &str, text: &[u8]| look(path, SourceHead::whole(text), || [spec.clone()]);
        assert_eq!(
            look("x/dump.yaml", b"scheduler:\n  a: 1\n"),
            Some(TreeForm::Yaml)
        );
        assert_eq!(
            look("x/dump.yml.gz", b"---\nworkers:\n  a: 1\n"),
            Some(TreeForm::Yaml)
        );
        assert_eq!(look("x/config.yaml", b"distributed:\n  scheduler:\n"), None);
        assert_eq!(look("x/dump.txt", b"scheduler:\n"), None);
        let packed = b"\x83\xa9scheduler\x80";
        assert_eq!(look("dump.msgpack.gz", packed), Some(TreeForm::MessagePack));
        assert_eq!(look("dump.msgpack", b"scheduler"), None);
    }
}
