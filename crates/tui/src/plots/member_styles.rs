//! Colours and patterns that distinguish the members of a plot.

use ratatui::style::Style;

use crate::colour::{is_nearly_equal, is_similar};
use crate::theme::{TAGS, Theme};
use widetui_tables::drawing::Drawing;
use widetui_tables::role::Role;

use widetui_tables::plots::Tone;

/// Patterns of members without a hue, the densest first.
const PATTERNS: [&str; TAGS] = ["█", "▒", "░", "▚", "═", "╱", "≡", "∙"];
/// ASCII characters used instead of patterns.
const LETTERS: [&str; TAGS] = ["#", "=", "-", "%", "+", "/", "o", "."];

/// Fill densities that distinguish members with the same hue.
const DENSITIES: [&str; 4] = ["█", "▓", "▒", "░"];

/// Assignment of hues or patterns to the members of a plot, for one theme.
#[derive(Clone, Copy, Debug)]
pub struct MemberStyles<'t> {
    /// Theme.
    pub(crate) theme: &'t Theme,
    /// Drawing characters.
    pub(crate) drawing: Drawing,
    is_plain: bool,
    /// Numbers of the tag hues for members, in order; only the first `hues.1` are valid.
    hues: ([usize; TAGS], usize),
    /// Number of tag hues before the first that equals an earlier one, as with 16 colours; the densities of members distinguish
    /// its repetitions.
    distinct: usize,
}

impl<'t> MemberStyles<'t> {
    /// Assignment for a theme.
    pub(crate) fn new(theme: &'t Theme, drawing: Drawing) -> MemberStyles<'t> {
        let first = theme.tag(0).fg;
        let is_new = |at: &usize| (0..*at).all(|before| theme.tag(before).fg != theme.tag(*at).fg);
        MemberStyles {
            theme,
            drawing,
            // A theme with a single hue needs patterns.
            is_plain: (1..TAGS).all(|at| theme.tag(at).fg == first),
            hues: hues(theme),
            distinct: (0..TAGS).take_while(is_new).count().max(1),
        }
    }

    /// Whether members are distinguished by patterns instead of hues.
    pub(crate) fn has_patterns(&self) -> bool {
        self.is_plain || self.drawing == Drawing::Ascii
    }

    /// Style of a member.
    pub(crate) fn style(&self, member: usize, tone: Tone) -> Style {
        match tone {
            Tone::Position => self.theme.tag(member % self.distinct),
            Tone::Hue(number) => self.hue(number),
            Tone::Success => self.theme.style(Role::BarsGood),
            Tone::Failure => self.theme.style(Role::BarsError),
        }
    }

    fn hue(&self, number: usize) -> Style {
        let (hues, known) = self.hues;
        self.theme.tag(hues[number % known])
    }

    /// Fill symbol of a member.
    pub(crate) fn fill(&self, member: usize) -> &'static str {
        match (self.drawing, self.is_plain) {
            (Drawing::Ascii, _) => LETTERS[member % TAGS],
            (_, true) => PATTERNS[member % TAGS],
            (_, false) => "█",
        }
    }

    /// Legend symbol of a member.
    pub(crate) fn sign(&self, member: usize) -> &'static str {
        match self.has_patterns() {
            true => self.fill(member),
            false => "■",
        }
    }

    /// Legend symbol of a member, given the tones of all members.
    pub(crate) fn sign_for_tones(&self, tones: &[Tone], member: usize) -> &'static str {
        match self.fill_for_tones(tones, member) {
            "█" => self.sign(member),
            dense => dense,
        }
    }

    /// Fill symbol of a member, given the tones of all members; those with the same hue differ in
    /// density.
    pub(crate) fn fill_for_tones(&self, tones: &[Tone], member: usize) -> &'static str {
        if self.has_patterns() {
            return self.fill(member);
        }
        let round = Tone::hue_repetition(tones, member, (self.hues.1, self.distinct));
        DENSITIES[round % DENSITIES.len()]
    }
}

/// Hues that are distinguishable from the colours of success, warnings and errors and from each
/// other; all tag hues if there are none.
fn hues(theme: &Theme) -> ([usize; TAGS], usize) {
    let news = [Role::BarsGood, Role::BarsWarning, Role::BarsError].map(|r| theme.style(r).fg);
    let (mut hues, mut known) = ([0; TAGS], 0);
    for at in 0..TAGS {
        let own = theme.tag(at).fg;
        let mut others = hues[..known].iter().map(|h| theme.tag(*h).fg);
        let is_news = news.iter().any(|n| is_similar(*n, own));
        if !is_news && !others.any(|other| is_nearly_equal(other, own)) {
            hues[known] = at;
            known += 1;
        }
    }
    match known {
        0 => (std::array::from_fn(|at| at), TAGS),
        known => (hues, known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Depth;

    #[test]
    fn without_hues_there_are_patterns() {
        let of = |name: &str, depth| Theme::named(name, depth).unwrap();
        let (dark, mono) = (of("dark", Depth::True), of("mono", Depth::None));
        let ansi = of("ansi16", Depth::Ansi16);
        let fine = Drawing::Braille;
        assert!(!MemberStyles::new(&dark, fine).has_patterns());
        assert!(!MemberStyles::new(&ansi, fine).has_patterns());
        let styles = MemberStyles::new(&mono, fine);
        assert!(styles.has_patterns());
        assert_ne!(styles.fill(0), styles.fill(1));
        assert!(MemberStyles::new(&dark, Drawing::Ascii).fill(1).is_ascii());
    }

    #[test]
    fn what_goes_on_does_not_look_like_what_ended() {
        for depth in [Depth::True, Depth::Indexed256, Depth::Ansi16] {
            for name in ["dark", "light", "high-contrast", "ansi16", "ansi16-light"] {
                let theme = Theme::named(name, depth).unwrap();
                let styles = MemberStyles::new(&theme, Drawing::Blocks);
                for number in 0..3 {
                    let hue = styles.style(number, Tone::Hue(number)).fg;
                    for news in [Tone::Success, Tone::Failure] {
                        assert!(
                            !is_similar(hue, styles.style(0, news).fg),
                            "{name} {depth:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn several_that_ended_badly_are_told_apart() {
        let theme = Theme::named("dark", Depth::True).unwrap();
        let styles = MemberStyles::new(&theme, Drawing::Braille);
        let tones = [Tone::Failure, Tone::Success, Tone::Failure, Tone::Hue(0)];
        let fills = [0, 1, 2, 3].map(|at| styles.fill_for_tones(&tones, at));
        assert_eq!(fills, ["█", "█", "▓", "█"]);
    }

    #[test]
    fn no_two_states_that_go_on_look_the_same() {
        for name in ["dark", "light", "high-contrast", "ansi16"] {
            let theme = Theme::named(name, Depth::True).unwrap();
            let styles = MemberStyles::new(&theme, Drawing::Braille);
            let tones: Vec<Tone> = (0..10).map(Tone::Hue).collect();
            let look = |at: usize| {
                (
                    styles.style(at, tones[at]).fg,
                    styles.fill_for_tones(&tones, at),
                )
            };
            for a in 0..10 {
                for b in 0..a {
                    let (x, y) = (look(a), look(b));
                    assert!(
                        x.1 != y.1 || !is_nearly_equal(x.0, y.0),
                        "{name}: {a} and {b}"
                    );
                }
            }
        }
    }

    /// Degrees around the circle of hues; `None` for what is grey.
    fn angle(colour: ratatui::style::Color) -> Option<f64> {
        let ratatui::style::Color::Rgb(r, g, b) = colour else {
            panic!("{colour:?}");
        };
        let (r, g, b) = (f64::from(r), f64::from(g), f64::from(b));
        if r.max(g).max(b) - r.min(g).min(b) < 40.0 {
            return None;
        }
        let angle = (3f64.sqrt() * (g - b)).atan2(2.0 * r - g - b);
        Some(angle.to_degrees())
    }

    #[test]
    fn with_16_colours_members_of_one_hue_differ_in_density() {
        let theme = Theme::named("dark", Depth::Ansi16).unwrap();
        let styles = MemberStyles::new(&theme, Drawing::Braille);
        let tones = [Tone::Position; 12];
        let appearance = |at: usize| {
            (
                styles.style(at, tones[at]).fg,
                styles.fill_for_tones(&tones, at),
            )
        };
        let distinct: std::collections::HashSet<_> = (0..tones.len()).map(appearance).collect();
        assert_eq!(distinct.len(), tones.len());
    }

    #[test]
    fn pictures_in_files_have_the_hues_of_the_screen() {
        use widetui_report::svg;
        let themes = [("dark", svg::Theme::Dark), ("light", svg::Theme::Light)];
        for (name, paper) in themes {
            let theme = Theme::named(name, Depth::True).unwrap();
            let styles = MemberStyles::new(&theme, Drawing::Braille);
            let own = (0..TAGS).map(|_| Tone::Position).collect::<Vec<_>>();
            // Where hues come again, they do so in the same order.
            let most = if name == "dark" { 8 } else { 4 };
            let going: Vec<Tone> = (0..most).map(Tone::Hue).collect();
            let ended = vec![Tone::Success, Tone::Failure];
            for tones in [own, going, ended] {
                for member in 0..tones.len() {
                    let here = styles.style(member, tones[member]).fg.unwrap();
                    // Names of colours of the terminal have no numbers.
                    let here = match here {
                        ratatui::style::Color::Rgb(..) => here,
                        _ => ratatui::style::Color::Rgb(205, 0, 0),
                    };
                    let there = paper.tone(&tones, member);
                    let there = there.parse().unwrap();
                    let (a, b) = (angle(here), angle(there));
                    let apart = match (a, b) {
                        (Some(a), Some(b)) => (a - b + 540.0).rem_euclid(360.0) - 180.0,
                        (None, None) => 0.0,
                        _ => 360.0,
                    };
                    let what = (name, tones[member], member);
                    assert!(apart.abs() < 45.0, "{what:?}: {here:?} {there:?}");
                }
            }
        }
    }
}
