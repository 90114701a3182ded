//! View of the instances with the longest duration of one step.

use super::*;
use widetui_tables::plots::settings::SlowestSubject;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "slowest",
    opens: Opens::Chosen,
    question: |m| match step(m)?.clone() {
        SlowestSubject::Step(step) => plot(m, PlotKind::Slowest(step)),
        SlowestSubject::Phase(why, what) => plot(m, PlotKind::Spent(why, what)),
    },
    command_line: |m| match step(m).ok_or("no step was chosen")? {
        SlowestSubject::Step(step) => {
            let words = ["latency", &about(m)?.entity, "--slowest", &step.name];
            subcommand(&words, scope(m))
        }
        SlowestSubject::Phase(..) => (super::account::VIEW.command_line)(m),
    },
    ..ANALYSIS
};

/// Step or phase whose slowest instances are shown.
fn step(model: &Model) -> Option<&SlowestSubject> {
    match model.subjects.get(&View::SLOWEST)? {
        ViewSubject::Slow(step) => Some(step),
        _ => None,
    }
}
