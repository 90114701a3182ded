//! Documents: prose, records, tables and figures, typed once; [`html`] writes a page, [`markdown`] the text for a ticket, and
//! commands their text from the same blocks.
//!
//! Texts may hold anything that a log holds: each writer makes them harmless for its language.

pub mod html;
pub mod markdown;

use widetui_definition::semantics::Severity;

use super::sheet::SheetAlign;

/// Document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Title.
    pub title: String,
    /// Description in pairs of label and value.
    pub head: Vec<(&'static str, String)>,
    /// Sections.
    pub sections: Vec<Section>,
}

/// Section of a document.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Anchor, unique in the document.
    pub id: &'static str,
    /// Title.
    pub title: String,
    /// Contents.
    pub blocks: Vec<Block>,
}

/// Part of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// Paragraph.
    Text(String),
    /// Titled part.
    Entry(Entry),
    /// Value with a label.
    Fact(&'static str, String),
    /// Advice with a label; an address if it is a web address.
    Advice(&'static str, String),
    /// Records, a line each.
    Records(Vec<String>),
    /// Short texts of equal rank.
    List(Vec<String>),
    /// Table.
    Table(Grid),
    /// Figure as SVG; Markdown has none.
    Figure(String),
    /// Details that a page folds under a title.
    Details(String, Vec<Block>),
}

/// Titled part of a section.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Number from 1 and severity of a finding.
    pub rank: Option<(usize, Severity)>,
    /// Title.
    pub title: String,
    /// Contents.
    pub blocks: Vec<Block>,
}

/// Table of texts.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Headings and alignments of the columns.
    pub columns: Vec<(String, SheetAlign)>,
    /// Rows, with one text per column.
    pub rows: Vec<Vec<String>>,
}

/// Form of the file of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentForm {
    /// Page.
    Html,
    /// Markdown.
    Markdown,
}

impl DocumentForm {
    /// All forms.
    pub const ALL: [DocumentForm; 2] = [DocumentForm::Html, DocumentForm::Markdown];

    /// Form that an extension stands for.
    pub fn of_extension(extension: &str) -> Option<DocumentForm> {
        let mut all = DocumentForm::ALL.into_iter();
        all.find(|form| form.extension() == extension)
    }

    /// Extension of the file.
    pub fn extension(self) -> &'static str {
        match self {
            DocumentForm::Html => "html",
            DocumentForm::Markdown => "md",
        }
    }

    /// Text of the file.
    pub fn write(self, document: &Document) -> String {
        match self {
            DocumentForm::Html => html::page(document),
            DocumentForm::Markdown => markdown::text(document),
        }
    }
}

#[cfg(test)]
mod tests;
