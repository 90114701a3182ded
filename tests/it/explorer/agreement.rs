//! The explorer shows what the commands print that it names.

use std::process::Command;

use widetui_session::saved::CommandLine;
use widetui_testing_tui::explorer::Explorer;

#[test]
fn what_is_harmless_is_so_in_the_view_and_in_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hung/000");
    let to = folder.path().join("000");
    let inner = "htex_campaign/block-0/3619e747ac56";
    std::fs::create_dir_all(to.join(inner)).unwrap();
    for file in [
        "parsl.log",
        "htex_campaign/interchange.log",
        &format!("{inner}/worker_1.log"),
    ] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let log = std::fs::read_to_string(from.join(inner).join("manager.log")).unwrap();
    // Usual, says the definition.
    let usual = "1795225447.900000 2026-11-21 01:44:07 MainProcess-4196 MainThread-140120374135680 \
        parsl.executors.high_throughput.process_worker_pool:100 <module> ERROR: Failed to connect to interchange\n";
    std::fs::write(to.join(inner).join("manager.log"), format!("{log}{usual}")).unwrap();
    let path = to.to_str().unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_widetui"))
        .args(["hung", path])
        .output()
        .unwrap();
    let printed = String::from_utf8(out.stdout).unwrap();
    let mut s = Explorer::of(&[path], "dark", 120, 60);
    s.keys("2");
    let shown = s.screen().text();
    for (whose, text) in [("command", &printed), ("view", &shown)] {
        assert!(text.contains("task 24"), "{whose}: {text}");
        assert!(!text.contains("last error "), "{whose}: {text}");
    }
}

/// Output of a copied command line.
fn printed(line: &str) -> String {
    let program = env!("CARGO_BIN_EXE_widetui");
    let line = line.replacen("widetui", program, 1);
    let output = Command::new("sh")
        .args(["-c", &format!("{line} --format jsonl")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_copied_command_prints_what_is_shown() {
    for keys in [
        "",
        "epo",
        "fjob in (8, 9) and time >= 14:00:10<enter>fnot level = debug<enter>",
        "f\"it's\" or job = 9<enter>",
        "ep-fmessage ~ 'job [0-9]' and has job<enter>",
        "9",
        "epo8#",
    ] {
        let mut s = Explorer::example("dark", 120, 40);
        s.change(|model| {
            model.user_data.opened = CommandLine {
                paths: vec!["tests/data/queue-run".to_owned()],
                ..CommandLine::default()
            };
        });
        s.keys(keys).keys("Yc");
        let line = s
            .copied
            .last()
            .unwrap_or_else(|| panic!("{keys}: {}", s.last_line()));
        let out = printed(line);
        let shown = match s.model.table() {
            Some(table) => table.len(),
            None => s.model.len(),
        };
        assert_eq!(out.lines().count(), shown, "{line}");
        assert!(shown > 1);
    }
    let mut s = Explorer::example("dark", 120, 40);
    s.change(|model| model.user_data.opened.why_not = Some("standard input cannot be read twice"));
    s.keys("Yc");
    assert!(s.copied.is_empty() && s.last_line().contains("cannot be read twice"));
    s.keys("9Yc");
    assert!(s.copied.is_empty());
}
