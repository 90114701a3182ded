//! A run, with all that is found out about it without being asked.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use widetui::analysis::diagnose::{Diagnosis, diagnose};
use widetui::analysis::hung::{AllInstances, Hung, HungOptions, hung};
use widetui::base::cancel::{Cancel, Progress};
use widetui::base::zone::Zone;
use widetui::store::Snapshot;
use widetui::workspace::load::{OpenOptions, load_all};
use widetui::workspace::meaning::{Meaning, widened};

/// Unpacks an archive of `tests/data`.
pub fn unpacked(archive: &str) -> TempDir {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let packed = File::open(packed.join(archive)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(packed))
        .unpack(dir.path())
        .unwrap();
    dir
}

/// Opens what lies in a folder and looks for what is wrong.
pub fn looked(path: &Path) -> (Arc<Snapshot>, AllInstances, Hung, Diagnosis) {
    let options = OpenOptions {
        paths: vec![path.to_path_buf()],
        fallback_zone: Zone::Utc,
        ..OpenOptions::default()
    };
    let cancel = Cancel::default();
    let (snapshot, _) = load_all(&options, &cancel, Progress::default()).unwrap();
    let meaning = Meaning::new(&[]);
    let (snapshot, _) = widened(&snapshot, &meaning.joins, &cancel).unwrap();
    let found = AllInstances::scan(&snapshot, &meaning.entities, &cancel).unwrap();
    let hung = hung(&snapshot, &found, &HungOptions::default(), &cancel).unwrap();
    let (hints, zone) = (&meaning.hints, &Zone::Utc);
    let diagnosis = diagnose(&snapshot, &found, &hung, hints, zone, &cancel, &mut |_| {});
    (snapshot, found, hung, diagnosis.unwrap())
}
