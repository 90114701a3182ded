//! View of two runs or selections side by side.

use super::*;
use widetui_session::comparison::{ComparedSide, SideInstances};

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "compare",
    opens: Opens::Chosen,
    question: |m| {
        let cache = m.meaning.instance_cache.clone();
        Some(TableRequest::Compare(cache, Box::new(sides(m)?.clone())))
    },
    command_line: |m| {
        let [a, b] = sides(m).ok_or("nothing to compare was chosen")?;
        if let SideInstances::Outcome(_) = a.part {
            return subcommand(&["compare", "--failed"], Vec::new());
        }
        // Without `--b`, the second side is the rest of the first one.
        let sides = [("--a", a), ("--b", b)].into_iter();
        let sides =
            sides.filter_map(|(option, side)| Some([option.to_owned(), typed(m, &side.expr()?)]));
        let sides: Vec<String> = sides.flatten().collect();
        let words: Vec<&str> = sides.iter().map(String::as_str).collect();
        subcommand(&[&["compare"], &words[..]].concat(), Vec::new())
    },
    ..TABLE
};

/// Both sides of the comparison.
fn sides(model: &Model) -> Option<&[ComparedSide; 2]> {
    match model.subjects.get(&View::COMPARE)? {
        ViewSubject::Sides(sides) => Some(sides),
        _ => None,
    }
}
