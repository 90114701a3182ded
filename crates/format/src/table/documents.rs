//! Document formats of the definitions, compiled.

use widetui_definition::documents::InnerDef;

use crate::definitions::kinds::Compiled;
use crate::table::inner::InnerList;
use crate::table::tree::DocumentSpec;

impl Compiled {
    /// Lists inside the rows of an array whose elements are rows of their own.
    pub fn inner_lists(&self, array: &str) -> impl Iterator<Item = InnerList> + '_ {
        let all = self.systems.iter().flat_map(|s| &s.def.inner);
        let own: Vec<&InnerDef> = all.filter(|def| def.array == array).collect();
        own.into_iter().map(|def| InnerList {
            name: def.list.clone(),
            outer: def.outer.clone(),
        })
    }

    /// Document formats of all definitions.
    pub fn documents(&self) -> impl Iterator<Item = DocumentSpec> + '_ {
        let all = self.systems.iter().flat_map(|s| &s.def.document);
        all.map(|def| DocumentSpec::new(&def.require, &def.rows))
    }
}
