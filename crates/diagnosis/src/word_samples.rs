//! Check of the samples of a vocabulary.

use widetui_definition::syntax::Definition;
use widetui_definition::words::WordsDef;
use widetui_join::spec::InvalidText;

use crate::unfinished::silence;

/// Samples of a definition that `words` judges otherwise than stated.
pub fn misjudged(words: &WordsDef, def: &Definition) -> Vec<InvalidText> {
    let Some(own) = &def.words else {
        return Vec::new();
    };
    let samples = &own.samples;
    let reports_end = |text: &str| silence::reports_end(words, &text.to_lowercase());
    type Judge<'a> = &'a dyn Fn(&str) -> bool;
    let checks: [(_, Judge<'_>, _, _); 2] = [
        (&samples.end, &reports_end, true, "reports no end"),
        (&samples.no_end, &reports_end, false, "reports an end"),
    ];
    let mut out = Vec::new();
    for (texts, judge, expected, problem) in checks {
        let wrong = texts
            .iter()
            .filter(|text| judge(text.get_ref()) != expected);
        out.extend(wrong.map(|text| InvalidText {
            text: text.clone(),
            offset: 0,
            problem: format!("by the words of the definitions this {problem}"),
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn built_in_samples_are_judged_as_stated() {
        let systems = Systems::builtin();
        let words = systems.words();
        let mut seen = 0;
        for system in systems.iter() {
            let wrong = misjudged(&words, &system.def);
            assert!(wrong.is_empty(), "{}: {wrong:#?}", system.name());
            let samples = system.def.words.as_ref().map(|words| &words.samples);
            seen += samples.map_or(0, |s| s.end.len() + s.no_end.len());
        }
        assert!(seen > 5, "{seen} samples");
    }
}
