//! The `widetui` binary.
fn main() {
    let options = widetui::workspace::load::OpenOptions {
        paths: std::env::args().skip(1).map(Into::into).collect(),
        ..Default::default()
    };
    let t = std::time::Instant::now();
    let (s, p) =
        widetui::workspace::load::load_all(&options, &Default::default(), Default::default())
            .unwrap();
    eprintln!(
        "{} events {:?} {:?} templates {} shapes {} ctx {}",
        s.len(),
        t.elapsed(),
        s.memory(),
        s.catalog.templates.len(),
        s.catalog.shapes.len(),
        s.catalog.contexts.len()
    );
    for p in p {
        eprintln!("{p}");
    }
    for src in s.sources.iter().take(40) {
        println!(
            "{} {} {} {:?} {:?}",
            src.path,
            src.layout,
            src.stats.records(),
            src.stats.levels,
            src.zoning
        );
    }
}
