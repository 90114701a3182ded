//! Names of the joins that a definition describes.

use crate::identity::PairDef;
use crate::semantics::{ConsecutiveRunsDef, EntityDef, FirstRecordDef, JoinDef};
use crate::syntax::Definition;
use crate::text::Text;

impl Definition {
    /// Full names of the joins that the definition describes, in the order in which they are compiled.
    pub fn join_names(&self) -> Vec<String> {
        let joins = self.join.iter().flat_map(JoinDef::alternatives);
        let joins = joins.map(|alternative| alternative.name);
        let brackets = self.bracket.iter().map(|b| b.name.get_ref().clone());
        let first = self.first.iter().map(FirstRecordDef::join_name);
        let again = self.again.iter().map(ConsecutiveRunsDef::join_name);
        let anew = self.entity.iter().filter(|e| e.anew.is_some()).enumerate();
        let runs = self.runs.iter();
        let runs = runs.flat_map(|runs| anew.clone().map(|(number, _)| runs.join_name(number)));
        let pairs = self.pair.iter().flat_map(PairDef::join_names);
        let readings = self.reading.iter().map(|r| r.name.get_ref().clone());
        let records = joins.chain(brackets).chain(first).chain(again);
        let order = records.chain(runs).chain(pairs).chain(readings);
        let names = order.chain(identity_names(self));
        names.map(|name| self.full_join_name(&name)).collect()
    }
}

/// Name of the join by which values of keys are instances of a space.
pub fn member_join(keys: &[String], space: &str) -> String {
    format!("{} is {space}", keys.join(" "))
}

/// Names of the joins of a space: from an instance to its scope, and to its id in its own system.
pub fn space_joins(space: &str) -> [String; 2] {
    [format!("scope of {space}"), space.to_owned()]
}

/// Names of the joins of an entity's processes: their host, and the instance by host and process id, or by that id alone.
pub fn process_join_names(entity: &str) -> [String; 3] {
    [
        format!("host of {entity}"),
        format!("process of {entity} on host"),
        format!("process of {entity}"),
    ]
}

/// Name of the join that gives the scope of an entity's instances where the run has one.
pub fn sole_scope_join(entity: &str) -> String {
    format!("only run of {entity}")
}

/// Names of the joins that follow from a definition's spaces, processes and scopes.
fn identity_names(definition: &Definition) -> Vec<String> {
    let keys = definition.keys.iter();
    let members = keys.clone().filter_map(|(key, key_def)| {
        let space = key_def.space.as_deref().filter(|_| key_def.is_member())?;
        Some(member_join(std::slice::from_ref(key), space))
    });
    let of_entity = |entity: &EntityDef| {
        let space = entity.space.iter();
        let names = |id: &Vec<Text>| -> Vec<String> {
            id.iter().map(|key| key.get_ref().clone()).collect()
        };
        let issued = space.flat_map(|space| {
            let ids = entity.id.iter().map(names);
            ids.map(|keys| member_join(&keys, space.key.get_ref()))
        });
        let name = entity.name.get_ref();
        let own = process_join_names(name)
            .into_iter()
            .chain([sole_scope_join(name)]);
        issued.chain(own).collect::<Vec<String>>()
    };
    let spaces = keys.flat_map(|(key, _)| space_joins(key));
    members
        .chain(definition.entity.iter().flat_map(of_entity))
        .chain(spaces)
        .collect()
}
