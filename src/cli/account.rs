//! `widetui trace --account`: where the time of an instance went, or of all instances of an entity.

use std::io::Write;

use widetui_analysis::account::{AccountContext, time_account};
use widetui_core::cancel::Cancel;
use widetui_session::plots::PlotKind;
use widetui_tables::answers::account::{InstancePhase, instance_phase_columns};

use super::args::{Format, SelectArgs};
use super::no_result::no_instance;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::plotted::PlotAsker;
use super::sheet::{id_object, id_text};

/// Writes the account of an instance (`KEY=VALUE`, or its name), or of all instances of an entity (its name).
pub fn print(
    opened: &Opened,
    wanted: &str,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let is_entity = opened.names().entity(wanted).is_ok();
    match wanted.contains('=') || wanted.contains(' ') && !is_entity {
        true if !select.is_all() => Err(Failure::Message(format!(
            "{wanted}: --where, --same, --since, --until and --unique choose among all instances: use trace ENTITY --account"
        ))),
        true => one(opened, wanted, select, format),
        false => all(opened, wanted, select, format),
    }
}

/// Writes the phases of the time of an instance, or of several with the same name.
fn one(opened: &Opened, wanted: &str, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let (entity, wanted) = opened.instance(wanted)?;
    let found = opened.instances(&entity);
    let fitting = found.find_matching(snapshot, &wanted);
    let none = || no_instance(opened, &found, select, "has this name and a time");
    let around = AccountContext::new(snapshot, &found, opened.entities(), &Cancel::default());
    let around = around.ok_or_else(none)?;
    let phases = fitting.iter().flat_map(|at| {
        let id = id_object(snapshot, &found.id(snapshot, &found.list[*at]));
        let phases = time_account(snapshot, &found, &around, *at).into_iter();
        phases.map(move |phase| InstancePhase {
            id: id.clone(),
            phase,
        })
    });
    let sheet = opened.sheet(&instance_phase_columns(), phases);
    if format == Format::Text {
        write_out(|out| {
            fitting.iter().try_for_each(|at| {
                let id = id_text(&found, snapshot, &found.list[*at]);
                writeln!(out, "{} {}", safe(&entity.title), safe(&id))
            })
        })?;
    }
    sheet.print(format, none)
}

/// Writes the phases of the time of all instances of an entity, summed.
fn all(opened: &Opened, name: &str, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let entity = opened.entity(name)?;
    let asker = PlotAsker::new(opened, select)?;
    let data = asker.answer(Some(&entity.name), PlotKind::Account)?;
    asker.print_about(&entity, data, format, "has a start and an end")
}
