//! Versions and files of the packages: each recipe names the version of the program and files that exist.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Text of a file of the repository.
fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn published_files_have_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("pyproject.toml", format!("version = \"{version}\"")),
        (
            "python/widetui/__init__.py",
            format!("__version__ = \"{version}\""),
        ),
        ("CHANGELOG.md", format!("## [{version}]")),
        ("packaging/debian/changelog", format!("widetui ({version}-")),
    ] {
        let text = text(file);
        let has_line = text.lines().any(|l| l.starts_with(&line));
        assert!(has_line, "{file} has no line {line}");
    }
}

#[test]
fn recipes_are_filled_in_by_the_release_script() {
    let script = text("packaging/release.sh");
    let list = script.lines().find(|l| l.starts_with("for recipe in "));
    let recipes = list.unwrap().split(' ').filter(|word| word.contains('/'));
    let mut count = 0;
    for recipe in recipes.map(|recipe| recipe.trim_end_matches(';')) {
        count += 1;
        let text = text(&format!("packaging/{recipe}"));
        assert!(text.contains("@VERSION@"), "{recipe}");
        assert!(!text.contains(env!("CARGO_PKG_VERSION")), "{recipe}");
        // Only the module downloads nothing.
        let has_sum = text.contains("@SHA256");
        assert_eq!(has_sum, recipe != "modulefile/widetui.lua", "{recipe}");
    }
    assert_eq!(count, 6);
}

#[test]
fn a_release_without_its_binaries_is_none() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Sources without a history make no release.
    if !repository.join(".git").exists() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let mut release = Command::new("sh");
    release.args(["packaging/release.sh", version]);
    release.env("SKIP_BUILD", "1").env("ALLOW_DIRTY", "1");
    release.env("OUT", out.path()).current_dir(repository);
    let done = release.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let (_, lacking) = said.split_once(" lacks ").unwrap_or_default();
    assert_eq!(done.status.code(), Some(1), "{said}");
    for file in ["manylinux*_x86_64.whl", "aarch64-unknown-linux-musl.tar.gz"] {
        assert!(lacking.contains(file), "{said}");
    }
    assert!(!out.path().join("recipes").exists());
}

#[test]
fn recipes_name_the_rust_version_of_the_manifest() {
    let manifest = text("Cargo.toml");
    let line = manifest.lines().find(|l| l.starts_with("rust-version"));
    let version = line.unwrap().split('"').nth(1).unwrap();
    assert!(text("packaging/spack/package.py").contains(&format!("rust@{version}:")));
    assert!(text("packaging/debian/control").contains(&format!("rustc (>= {version})")));
    assert!(text("README.md").contains(&format!("Rust](https://rustup.rs) {version}")));
}

#[test]
fn licences_of_the_wheel_exist() {
    let project: toml::Value = toml::from_str(&text("pyproject.toml")).unwrap();
    let files = project["project"]["license-files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    for file in files {
        assert!(text(file.as_str().unwrap()).len() > 1_000, "{file}");
    }
}

/// Manifest of a file, parsed.
fn manifest(name: &str) -> toml::Table {
    text(name).parse().unwrap()
}

#[test]
fn manifests_have_all_that_crates_io_asks_for() {
    let root = manifest("Cargo.toml");
    let members = root["workspace"]["dependencies"].as_table().unwrap();
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut published = 0;
    for entry in fs::read_dir(folders).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        let about = manifest(&format!("crates/{folder}/Cargo.toml"))["package"].clone();
        if about.get("publish").and_then(|p| p.as_bool()) == Some(false) {
            continue;
        }
        published += 1;
        assert!(about.get("description").is_some(), "{folder}");
        assert!(about.get("repository").is_some(), "{folder}");
        // Without a version, the dependency on this crate is lost when another one is published.
        let version = members[about["name"].as_str().unwrap()].get("version");
        assert_eq!(
            version.and_then(|v| v.as_str()),
            Some(env!("CARGO_PKG_VERSION")),
            "{folder}"
        );
    }
    assert!(published > 10);
}

#[test]
fn files_in_crates_are_those_of_the_repository() {
    for (link, folder) in [
        ("crates/format/systems", "systems"),
        ("crates/app/keymaps", "keymaps"),
        ("crates/app/themes", "themes"),
        ("crates/session/demo", "demo"),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = fs::canonicalize(root.join(link)).unwrap();
        assert_eq!(target, fs::canonicalize(root.join(folder)).unwrap());
    }
}

/// A tag may be moved to other code, a commit may not.
#[test]
fn actions_of_workflows_are_named_by_commit() {
    let pinned = regex::Regex::new(r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let mut count = 0;
    for workflow in ["ci.yml", "release.yml"] {
        let text = text(&format!(".github/workflows/{workflow}"));
        for (_, action) in text.lines().filter_map(|line| line.split_once("uses: ")) {
            count += 1;
            assert!(pinned.is_match(action), "{workflow}: {action}");
        }
    }
    assert!(count > 10);
}
