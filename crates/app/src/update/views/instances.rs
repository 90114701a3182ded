//! View of the instances of one entity.

use super::*;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "instances",
    opens: Opens::Chosen,
    focus: Focus {
        keys: &[KeyScope::InstanceCache, KeyScope::Table],
        hints: commands! {
            Open Trace Pivot PivotOut Search SortNext Copy ViewEvents Palette Help
        },
        labels: &[(Command::Open, "its events")],
    },
    question: |m| {
        let (cache, entity) = (m.meaning.instance_cache.clone(), m.listed_entity()?);
        Some(TableRequest::Instances(cache, entity.to_owned()))
    },
    command_line: |m| {
        let entity = m.listed_entity().ok_or("no entity was chosen")?;
        subcommand(&["entities", "--of", entity], chosen(m))
    },
    export_subject: Model::listed_entity,
    has_story: |_| true,
    ..TABLE
};
