//! Cache of the forms that one loader thread has met, so that a record with known fields needs no look-up of names.
//!
//! Optional fields multiply the number of forms. Beyond a limit, further combinations share wide forms, which have
//! columns for fields that a record may lack.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use widetui_core::ids::KeyId;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::json::form::{Duration, Form, FormColumn};
use crate::json::reader::JsonReader;

/// Maximum number of forms of one dialect per thread; records with further combinations of fields use a wide form.
const MAX_KEPT: usize = 1024;

/// Maximum number of columns of a wide form; each of its records has room for all of them.
const MAX_WIDE_COLUMNS: usize = 128;

/// Forms of one dialect and thread.
#[derive(Default)]
pub(crate) struct Forms {
    /// Kept forms; `None` while a record of that form is being read.
    kept: Vec<Option<Box<Form>>>,
    /// Field names of the current record, as `push_name` encodes them.
    names: Vec<u8>,
    table: HashTable<u32>,
    last: usize,
    wide: Vec<Wide>,
    hasher: FxBuildHasher,
}

/// Form of a record.
pub(crate) enum Formed {
    /// Index of a kept form.
    Kept(usize),
    /// Form that is not kept.
    Own(Box<Form>),
}

/// Appends a field name with its length, so that different lists have different encodings.
fn push_name(names: &mut Vec<u8>, name: &[u8]) {
    names.extend_from_slice(&(name.len() as u64).to_le_bytes());
    names.extend_from_slice(name);
}

/// Fields of a kept form.
fn fields_of(kept: &[Option<Box<Form>>], at: usize) -> &[Box<[u8]>] {
    let form = kept.get(at).and_then(Option::as_ref);
    form.map_or(&[], |form| &form.fields)
}

/// Whether these fields have the encoded names.
fn has_names(fields: &[Box<[u8]>], names: &[u8]) -> bool {
    let mut rest = names;
    let fits = fields.iter().all(|field| {
        let after = rest
            .strip_prefix(&(field.len() as u64).to_le_bytes())
            .and_then(|r| r.strip_prefix(&**field));
        rest = after.unwrap_or_default();
        after.is_some()
    });
    fits && rest.is_empty()
}

impl Forms {
    /// Form of the previous line, if `is_same` accepts its fields for the current line.
    pub(crate) fn same(&self, is_same: impl FnOnce(&[Box<[u8]>]) -> bool) -> Option<Formed> {
        (self.last < self.kept.len() && is_same(fields_of(&self.kept, self.last)))
            .then_some(Formed::Kept(self.last))
    }

    /// Takes a form out while a record is read, so that the caches can be changed meanwhile; `give` puts it back.
    #[inline]
    pub(crate) fn take(&mut self, at: usize) -> Option<Box<Form>> {
        self.kept.get_mut(at)?.take()
    }

    /// Puts a form back.
    #[inline]
    pub(crate) fn give(&mut self, at: usize, form: Box<Form>) {
        if let Some(place) = self.kept.get_mut(at) {
            *place = Some(form);
        }
    }

    /// Starts the list of field names of a record.
    pub(crate) fn begin(&mut self) {
        self.names.clear();
    }

    /// Appends the next field name.
    #[inline]
    pub(crate) fn name(&mut self, name: &[u8]) {
        push_name(&mut self.names, name);
    }

    /// Kept form with the names since `begin`.
    pub(crate) fn known(&mut self) -> Option<Formed> {
        let hash = self.hasher.hash_one(&self.names);
        let (kept, names) = (&self.kept, &self.names);
        let at = self
            .table
            .find(hash, |at| has_names(fields_of(kept, *at as usize), names))?;
        self.last = *at as usize;
        Some(Formed::Kept(self.last))
    }

    /// Adds the form of a record with these fields, which are the names since `begin`; must not be kept yet.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "at most `MAX_KEPT` forms are kept"
    )]
    pub(crate) fn add(
        &mut self,
        json: &JsonReader,
        tables: &Catalog,
        fields: Vec<Box<[u8]>>,
    ) -> Formed {
        let mut form = json.form(fields, tables);
        let mut own = json.id.to_le_bytes().to_vec();
        own.extend_from_slice(&self.names);
        let id = match self.kept.len() < MAX_KEPT {
            true => tables.form(&own),
            false => None,
        };
        let Some(id) = id else {
            return Formed::Own(Box::new(self.widened(form, json, tables)));
        };
        form.id = id;
        form.note_uses();
        let at = self.kept.len();
        self.kept.push(Some(Box::new(form)));
        let hash = self.hasher.hash_one(&self.names);
        let (kept, hasher) = (&self.kept, &self.hasher);
        self.table.insert_unique(hash, at as u32, |at| {
            let mut names = Vec::new();
            let fields = fields_of(kept, *at as usize).iter();
            fields.for_each(|f| push_name(&mut names, f));
            hasher.hash_one(&names)
        });
        self.last = at;
        Formed::Kept(at)
    }

    /// Form with the columns of a wide form, for a record with the fields of `form`.
    fn widened(&mut self, mut form: Form, json: &JsonReader, tables: &Catalog) -> Form {
        let missing_columns = |wide: &Wide| wide.missing_columns(&form).count();
        let fits = |wide: &Wide| missing_columns(wide) == 0;
        let has_room = |wide: &Wide| wide.keys.len() + missing_columns(wide) <= MAX_WIDE_COLUMNS;
        let place = self.wide.iter().position(fits);
        let place = place.or_else(|| self.wide.iter().position(has_room));
        let at = place.unwrap_or_else(|| {
            self.wide.push(Wide::default());
            self.wide.len() - 1
        });
        let Some(wide) = self.wide.get_mut(at) else {
            return form;
        };
        wide.widen(&form, json, tables);
        if wide.keys.is_empty() {
            // The limit of field lists of the run is reached.
            self.wide.truncate(at);
            form.is_cut |= !form.columns.is_empty();
            form.durations.clear();
            form.set_columns(Vec::new(), tables);
            return form;
        }
        wide.set_columns(&mut form, json, tables);
        form
    }
}

/// Columns for fields that a record may have.
#[derive(Default)]
struct Wide {
    id: u32,
    keys: Vec<Arc<Key>>,
    at: FxHashMap<KeyId, usize>,
}

impl Wide {
    /// Columns of a form that are missing here.
    fn missing_columns<'f>(&'f self, form: &'f Form) -> impl Iterator<Item = &'f Arc<Key>> {
        let keys = form.columns.iter().map(|c| &c.key);
        keys.filter(|k| !self.at.contains_key(&k.id))
    }

    /// Adds the columns of a form, which makes it a different form of the run. Unchanged if the limit of field lists of
    /// the run is reached.
    fn widen(&mut self, form: &Form, json: &JsonReader, tables: &Catalog) {
        let new: Vec<Arc<Key>> = self.missing_columns(form).cloned().collect();
        if new.is_empty() && self.id != 0 {
            return;
        }
        let keys = self.keys.iter().chain(&new);
        let mut name = b"\x05wide".to_vec();
        name.extend_from_slice(&json.id.to_le_bytes());
        keys.for_each(|k| name.extend_from_slice(&k.id.0.to_le_bytes()));
        if let Some(id) = tables.form(&name) {
            self.id = id;
            for key in new {
                self.at.insert(key.id, self.keys.len());
                self.keys.push(key);
            }
        }
    }

    /// Sets these columns in a form.
    fn set_columns(&self, form: &mut Form, json: &JsonReader, tables: &Catalog) {
        let mut columns: Vec<FormColumn> = self
            .keys
            .iter()
            .map(|key| FormColumn {
                at: None,
                key: key.clone(),
            })
            .collect();
        for column in &form.columns {
            let place = self.at.get(&column.key.id);
            match place.and_then(|at| columns.get_mut(*at)) {
                Some(place) => place.at = column.at,
                None => form.is_cut = true,
            }
        }
        form.id = self.id;
        // All records of a form have the same columns.
        let own = std::mem::take(&mut form.durations);
        let durations = json.spec.durations.iter().filter_map(|[.., key]| {
            let key = tables.keys.get(key)?;
            let known = own.iter().find(|d| d.key.id == key.id);
            let between = known.and_then(|d| d.between);
            Some(Duration { between, key })
        });
        form.durations = durations.collect();
        form.set_columns(columns, tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader() -> JsonReader {
        JsonReader::default()
    }

    /// Keys of a form with the fields that fill them.
    fn cells(form: &Form) -> Vec<(String, Option<usize>)> {
        let columns = form.columns.iter();
        columns.map(|c| (c.key.name.to_string(), c.at)).collect()
    }

    fn find(forms: &mut Forms, tables: &Catalog, fields: &[&str]) -> Formed {
        forms.begin();
        fields.iter().for_each(|f| forms.name(f.as_bytes()));
        let names = fields.iter().map(|f| f.as_bytes().into()).collect();
        let known = forms.known();
        known.unwrap_or_else(|| forms.add(&reader(), tables, names))
    }

    fn found(forms: &mut Forms, tables: &Catalog, fields: &[&str]) -> Form {
        match find(forms, tables, fields) {
            Formed::Kept(at) => *forms.take(at).unwrap(),
            Formed::Own(form) => *form,
        }
    }

    #[test]
    fn encoded_names_are_unambiguous() {
        let tables = Catalog::default();
        let mut forms = Forms::default();
        let odd = "a\0\0\0\0\0\0\0\u{1}\0\0\0\0\0\0\0b";
        let (two, one) = (["a", "b"], [odd]);
        let ids: Vec<u32> = [&two[..], &one, &["a\0b"]]
            .iter()
            .map(|fields| found(&mut forms, &tables, fields).id)
            .collect();
        assert_eq!(ids, [1, 2, 3]);
    }

    #[test]
    fn forms_without_number_share_wide_ones() {
        let tables = Catalog::default();
        let mut forms = Forms::default();
        for n in 0..MAX_KEPT {
            find(&mut forms, &tables, &[&format!("k{n}")]);
        }
        let first = found(&mut forms, &tables, &["a", "b"]);
        let second = found(&mut forms, &tables, &["c", "a"]);
        let third = found(&mut forms, &tables, &["c"]);
        let own = |name: &str, at| (name.to_owned(), at);
        assert_eq!(cells(&first), [own("a", Some(0)), own("b", Some(1))]);
        let second_cells = [own("a", Some(1)), own("b", None), own("c", Some(0))];
        assert_eq!(cells(&second), second_cells);
        assert_eq!(
            cells(&third),
            [own("a", None), own("b", None), own("c", Some(0))]
        );
        assert_ne!(first.id, second.id, "they have other columns");
        assert_eq!(second.id, third.id);
        assert!([&first, &second, &third].iter().all(|f| !f.is_cut));
        // As many names as fit one wide form.
        let many: Vec<String> = (0..MAX_WIDE_COLUMNS).map(|n| format!("m{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let fourth = found(&mut forms, &tables, &many);
        assert_eq!(fourth.columns.len(), MAX_WIDE_COLUMNS);
        assert_ne!(fourth.id, third.id);
    }

    #[test]
    fn fields_beyond_the_limit_are_reported() {
        let tables = Catalog::default();
        let mut n = 0;
        while tables.form(format!("x{n}").as_bytes()).is_some() {
            n += 1;
        }
        let mut forms = Forms::default();
        let form = found(&mut forms, &tables, &["a"]);
        assert!(form.is_cut && form.columns.is_empty());
        assert_eq!(form.id, 0);
    }
}
