use super::*;
use crate::figure::{BarMark, BarRow, Bars, CurveStyle, Curves, Gantt, Sequence};
use std::sync::Arc;
use widetui_analysis::colour::Tone;
use widetui_analysis::plot_curve::PlotCurve;
use widetui_analysis::series::AxisScale;
use widetui_analysis::timeline::{Bar, Ending, Progress, TimelineRow};

const LINES: CurveStyle = CurveStyle::Lines(AxisScale::FromZero);

fn figure(plot: Plot) -> Figure {
    Figure::new("a <b> & \u{1b}[31m", plot).over(Some((0, 10_000_000_000)))
}

fn curves(style: CurveStyle, curves: Vec<PlotCurve>) -> Plot {
    Plot::Curves(Curves::one(style, "tasks", curves))
}

fn drawn(figure: &Figure, theme: Theme) -> String {
    let frame = FigureFrame {
        window: TimeWindow::default(),
        zone: Zone::Utc,
        run: "folder & <x>".to_owned(),
    };
    render(figure, &frame, theme)
}

/// Tags are nested correctly.
fn is_well_formed(svg: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else {
            return false;
        };
        let name = tag
            .split([' ', '/'])
            .find(|n| !n.is_empty())
            .unwrap_or_default();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) if open.pop() != Some(name) => return false,
            (false, false) => open.push(name),
            _ => {}
        }
    }
    open.is_empty()
}

#[test]
fn every_plot_is_one_harmless_image() {
    let line = |name: &str| PlotCurve {
        name: name.to_owned(),
        points: vec![(0, 1.0), (5_000_000_000, 3.0), (9_000_000_000, 0.0)],
        tone: Tone::Position,
        ..PlotCurve::default()
    };
    let gantt = Gantt {
        lanes: vec![TimelineRow {
            values: Vec::new(),
            name: "w<1>".to_owned(),
            bars: vec![Bar {
                start: 1_000_000_000,
                end: 4_000_000_000,
                ending: Ending::Lost,
                lane: 0,
                instance: 0,
                colour: 0,
                progress: Progress::Begun,
            }],
            lanes: 1,
            lifetime: None,
        }],
        legend: vec![("running".to_owned(), 1)],
        ..Gantt::default()
    };
    let bin = BarRow {
        name: "0 s <b>".to_owned(),
        mark: BarMark::Length(7.0),
        text: "7".to_owned(),
    };
    let bars = |rows| {
        Plot::Bars(vec![Bars {
            title: "t".to_owned(),
            rows,
            longest: Some(0),
            ..Bars::default()
        }])
    };
    let panel = |name: &str| crate::figure::Panel {
        name: name.to_owned(),
        unit: "<s>".to_owned(),
        curves: vec![line("x"), line("y")],
    };
    let plots = [
        curves(LINES, vec![line("x"), line("y")]),
        curves(LINES, Vec::new()),
        curves(CurveStyle::Areas, vec![line("x"), line("<script>")]),
        Plot::Curves(Curves {
            panels: vec![panel("<script>"), panel("b")],
            style: CurveStyle::Areas,
        }),
        bars(vec![bin]),
        bars(Vec::new()),
        Plot::Words(vec!["<script>".to_owned()]),
        Plot::Gantt(Box::new(gantt)),
        Plot::Graph(Box::default()),
        Plot::Sequence(Box::new(Sequence::new(Arc::default(), Vec::new()))),
    ];
    for plot in plots {
        let svg = drawn(&figure(plot), Theme::Dark);
        assert!(is_well_formed(&svg), "{svg}");
        assert!(
            !svg.contains("<script") && !svg.contains('\u{1b}') && !svg.contains("NaN"),
            "{svg}"
        );
        assert!(svg.contains("a &lt;b&gt; &amp; "));
        assert!(
            svg.contains(Theme::Dark.palette().background)
                && !svg.contains(Theme::Light.palette().background)
        );
    }
}

#[test]
fn lines_step_and_layers_add_up() {
    let line = |points: &[(i64, f64)]| PlotCurve {
        name: String::new(),
        points: points.to_vec(),
        tone: Tone::Position,
        ..PlotCurve::default()
    };
    let lines = vec![line(&[(0, 1.0), (5_000_000_000, 2.0)])];
    let svg = drawn(&figure(curves(LINES, lines)), Theme::Light);
    // From the left edge at half the height to the middle, then up to the top, then on to the right edge.
    assert!(svg.contains(r#"d="M70.0 218.0H525.0V48.0H980.0""#), "{svg}");
    let layers = vec![line(&[(0, 1.0)]), line(&[(0, 3.0)])];
    let svg = drawn(&figure(curves(CurveStyle::Areas, layers)), Theme::Light);
    assert!(svg.contains("M70.0 303.0"), "{svg}");
    assert!(svg.contains("M70.0 48.0"), "{svg}");
}

#[test]
fn extreme_ranges_do_not_panic() {
    for range in [(0, 0), (i64::MIN + 1, i64::MAX), (5, 6), (9, 3)] {
        let line = PlotCurve {
            name: "x".to_owned(),
            points: vec![(range.0, f64::MAX), (range.1, -1e-300)],
            tone: Tone::Position,
            ..PlotCurve::default()
        };
        for style in [LINES, CurveStyle::Areas] {
            let figure = figure(curves(style, vec![line.clone()])).over(Some(range));
            assert!(drawn(&figure, Theme::Light).ends_with("</svg>\n"));
        }
    }
}

#[test]
fn a_state_has_the_colour_of_its_tone_and_the_run_is_named() {
    let layer = |name: &str, tone| PlotCurve {
        name: name.to_owned(),
        points: vec![(0, 1.0)],
        tone,
        ..PlotCurve::default()
    };
    let layers = vec![
        layer("failed", Tone::Failure),
        layer("lost", Tone::Failure),
        layer("done", Tone::Success),
        layer("running", Tone::Hue(0)),
    ];
    let theme = Theme::Light;
    let svg = drawn(&figure(curves(CurveStyle::Areas, layers)), theme);
    let swatch = |name: &str| -> String {
        let before = svg.split(&format!(">{name}</text>")).next().unwrap();
        let colour = before.rsplit(r#"height="11.0" fill=""#).next().unwrap();
        colour.chars().take(7).collect()
    };
    assert_eq!(swatch("failed"), theme.palette().alarm);
    assert_eq!(swatch("done"), theme.palette().good);
    assert_eq!(swatch("running"), theme.palette().hues[0]);
    // A second, failed bar has another colour.
    assert_ne!(swatch("lost"), swatch("failed"));
    assert!(svg.contains(">folder &amp; &lt;x&gt;</text>"), "{svg}");
}

#[test]
fn names_in_a_legend_do_not_run_into_the_next() {
    let line = |name: &str| PlotCurve {
        name: name.to_owned(),
        points: vec![(0, 1.0)],
        tone: Tone::Position,
        ..PlotCurve::default()
    };
    let lines = vec![line("MMMMMMMMMMMM"), line("x")];
    let svg = drawn(&figure(curves(LINES, lines)), Theme::Light);
    let x: Vec<f64> = svg
        .split(r#"<rect x=""#)
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    // An M of DejaVu Sans is 0.863 of the size wide.
    assert!(x[1] - x[0] > 16.0 + 12.0 * 0.863 * 11.0 + 8.0, "{x:?}");
}

#[test]
fn waiting_bars_are_outlined() {
    let bar = |stage, of| Bar {
        start: 1_000_000_000,
        end: 4_000_000_000,
        ending: Ending::Ended,
        lane: 0,
        instance: of,
        colour: 0,
        progress: stage,
    };
    let lane = |bar| TimelineRow {
        bars: vec![bar],
        lanes: 1,
        ..TimelineRow::default()
    };
    let gantt = Gantt {
        lanes: vec![
            lane(bar(Progress::Begun, 0)),
            lane(bar(Progress::Waiting, 1)),
        ],
        legend: vec![("a".to_owned(), 2)],
        ..Gantt::default()
    };
    let svg = drawn(&figure(Plot::Gantt(Box::new(gantt))), Theme::Light);
    assert_eq!(svg.matches(r#"fill="none" stroke="#).count(), 1, "{svg}");
    assert!(svg.contains("outlined: waits to start"));
}
