//! Documents that are trees of values in MessagePack or YAML, as services dump their state. A definition specifies
//! which lists in them are records; these are converted to JSON lines.

mod msgpack;
mod rows;
mod yaml;

use serde_json::Value;

use widetui_source::head::SourceHead;

pub use rows::{DocumentSpec, Part, PartLines};

/// Maximum size of a document, bytes; it has to be read as a whole.
pub const MAX_SIZE: u64 = 256 << 20;

/// Number of first bytes that must contain the first name of a document.
const HEAD_LEN: usize = 256;

/// Format of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// MessagePack (binary).
    MessagePack,
    /// YAML.
    Yaml,
}

impl TreeForm {
    /// Format by file name.
    fn named(path: &str) -> Option<TreeForm> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut ends = name.rsplit('.').map(str::to_ascii_lowercase);
        // The extension may precede that of a compression format.
        ends.by_ref().take(2).find_map(|end| match end.as_str() {
            "msgpack" | "mpk" => Some(TreeForm::MessagePack),
            "yaml" | "yml" => Some(TreeForm::Yaml),
            _ => None,
        })
    }

    /// Name for the user.
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
                let beginning = text.get(..HEAD_LEN).unwrap_or(text);
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

    /// Parses a document.
    ///
    /// # Errors
    /// A message for the user if the document is invalid.
    pub fn read(self, bytes: &[u8]) -> Result<Value, String> {
        match self {
            TreeForm::MessagePack => msgpack::read(bytes),
            TreeForm::Yaml => yaml::read(bytes),
        }
    }
}

/// Format of a file that may be one of the given documents, detected by its name and first bytes.
pub fn detect<D: IntoIterator<Item = DocumentSpec>>(
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
        let detect =
            |path: &str, text: &[u8]| detect(path, SourceHead::whole(text), || [spec.clone()]);
        assert_eq!(
            detect("x/dump.yaml", b"scheduler:\n  a: 1\n"),
            Some(TreeForm::Yaml)
        );
        assert_eq!(
            detect("x/dump.yml.gz", b"---\nworkers:\n  a: 1\n"),
            Some(TreeForm::Yaml)
        );
        assert_eq!(
            detect("x/config.yaml", b"distributed:\n  scheduler:\n"),
            None
        );
        assert_eq!(detect("x/dump.txt", b"scheduler:\n"), None);
        let packed = b"\x83\xa9scheduler\x80";
        assert_eq!(
            detect("dump.msgpack.gz", packed),
            Some(TreeForm::MessagePack)
        );
        assert_eq!(detect("dump.msgpack", b"scheduler"), None);
    }
}
