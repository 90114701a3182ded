use super::*;
use widetui_analysis::series::AxisScale;
use widetui_analysis::timeline::{Bar, Ending, Progress, TimelineRow};

fn figure(plot: Plot<'_>) -> Figure<'_> {
    Figure {
        title: "a <b> & \u{1b}[31m".to_owned(),
        run: "folder & <x>".to_owned(),
        unit: "tasks".to_owned(),
        plot,
        range: (0, 10_000_000_000),
        zone: Zone::Utc,
        origin: TimeOrigin::Clock,
    }
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
    let timeline = Timeline {
        rows: vec![TimelineRow {
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
        colours: vec!["running".to_owned()],
        ..Timeline::default()
    };
    let bin = Bin {
        lower: 0,
        upper: 1_000_000_000,
        count: 7,
    };
    let plots = [
        Plot::Lines(vec![line("x"), line("y")], AxisScale::FromZero),
        Plot::Lines(Vec::new(), AxisScale::FromZero),
        Plot::Stacked(vec![line("x"), line("<script>")]),
        Plot::Histogram(vec![bin]),
        Plot::Histogram(Vec::new()),
        Plot::Gantt(&timeline, Vec::new()),
        Plot::Sequence(&Flow::default()),
    ];
    for plot in plots {
        let svg = render(&figure(plot), Theme::Dark);
        assert!(is_well_formed(&svg), "{svg}");
        assert!(
            !svg.contains("<script") && !svg.contains('\u{1b}') && !svg.contains("NaN"),
            "{svg}"
        );
        assert!(svg.contains("a &lt;b&gt; &amp; "));
        assert!(svg.contains(Theme::Dark.background()) && !svg.contains(Theme::Light.background()));
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
    let svg = render(
        &figure(Plot::Lines(
            vec![line(&[(0, 1.0), (5_000_000_000, 2.0)])],
            AxisScale::FromZero,
        )),
        Theme::Light,
    );
    // From the left edge at half the height to the middle, then up to the top, then on to the right edge.
    assert!(svg.contains(r#"d="M70.0 218.0H525.0V48.0H980.0""#), "{svg}");
    let layers = vec![line(&[(0, 1.0)]), line(&[(0, 3.0)])];
    let svg = render(&figure(Plot::Stacked(layers)), Theme::Light);
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
        let mut figure = figure(Plot::Lines(vec![line.clone()], AxisScale::FromZero));
        figure.range = range;
        assert!(render(&figure, Theme::Light).ends_with("</svg>\n"));
        figure.plot = Plot::Stacked(vec![line]);
        assert!(render(&figure, Theme::Light).ends_with("</svg>\n"));
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
    let svg = render(&figure(Plot::Stacked(layers)), theme);
    let swatch = |name: &str| -> String {
        let before = svg.split(&format!(">{name}</text>")).next().unwrap();
        let colour = before.rsplit(r#"height="11.0" fill=""#).next().unwrap();
        colour.chars().take(7).collect()
    };
    assert_eq!(swatch("failed"), theme.alarm());
    assert_eq!(swatch("done"), theme.good());
    assert_eq!(swatch("running"), theme.colour(0));
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
    let svg = render(
        &figure(Plot::Lines(lines, AxisScale::FromZero)),
        Theme::Light,
    );
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
        lane: of,
        instance: of,
        colour: 0,
        progress: stage,
    };
    let timeline = Timeline {
        rows: vec![TimelineRow {
            bars: vec![bar(Progress::Begun, 0), bar(Progress::Waiting, 1)],
            lanes: 2,
            ..TimelineRow::default()
        }],
        colours: vec!["a".to_owned()],
        ..Timeline::default()
    };
    let svg = render(&figure(Plot::Gantt(&timeline, Vec::new())), Theme::Light);
    assert_eq!(svg.matches(r#"fill="none" stroke="#).count(), 1, "{svg}");
    assert!(svg.contains("outlined: waits to start"));
}
