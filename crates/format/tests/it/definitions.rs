//! Built-in definitions: they are valid, their samples give the values that they state, and no system matches the
//! samples of another.

use std::path::Path;
use std::sync::Arc;

use widetui_format::catalog::Catalog;
use widetui_format::check;
use widetui_format::definitions::embedded::SYSTEMS;
use widetui_format::definitions::systems::Systems;
use widetui_format::pattern::Spans;
use widetui_format::reader::{Reader, Syntax};
use widetui_format::record_form::RecordForm;
use widetui_format::sample::Sample;
use widetui_source::head::SourceHead;

#[test]
fn every_definition_is_sound_and_every_sample_gives_its_fields() {
    let mut errors = Vec::new();
    for (name, text, _) in SYSTEMS {
        errors.extend(check::check(&format!("systems/{name}.toml"), text));
    }
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
    assert_eq!(Systems::builtin().iter().count(), SYSTEMS.len());
}

#[test]
fn no_system_claims_a_sample_of_another() {
    let systems = Systems::builtin();
    let compiled = systems.compile(&Arc::new(Catalog::default()));
    for system in systems.iter() {
        for sample in &system.def.sample {
            let lines = Sample::new(SourceHead::whole(sample.line.get_ref().as_bytes()));
            let path = sample.path.as_ref().map_or("", |p| p.get_ref().as_str());
            let choice = compiled.choose(path, &lines);
            let claimed = choice.kind.as_ref().map_or("", |k| &k.system);
            assert!(
                claimed.is_empty() || claimed == system.name(),
                "{claimed} claims a sample of {}: {}",
                system.name(),
                sample.line.get_ref()
            );
        }
    }
}

/// Content detection finds the layout that a sample names, among those of all systems.
#[test]
fn samples_are_distinguished_by_content() {
    let systems = Systems::builtin();
    let compiled = systems.compile(&Arc::new(Catalog::default()));
    let generic: Vec<&str> = compiled
        .generic_layouts()
        .iter()
        .map(|l| l.name.as_str())
        .collect();
    for system in systems.iter() {
        for sample in &system.def.sample {
            let Some(layout) = &sample.layout else {
                continue;
            };
            let wanted =
                widetui_format::definitions::systems::full_name(system.name(), layout.get_ref());
            let lines = Sample::new(SourceHead::whole(sample.line.get_ref().as_bytes()));
            if !generic.contains(&wanted.as_str()) {
                continue;
            }
            if let RecordForm::Lines(layouts) = compiled.choose("", &lines).record_form {
                let (line, _) =
                    widetui_format::fields::first_line(sample.line.get_ref().as_bytes());
                let mut spans = widetui_format::pattern::Spans::new();
                let fits = layouts.iter().find(|l| l.is_header(line, &mut spans));
                let got = fits.map_or("none", |l| &l.name);
                assert_eq!(got, wanted, "{}", sample.line.get_ref());
            }
        }
    }
}

#[test]
fn the_order_does_not_depend_on_the_run() {
    let names = || -> Vec<String> {
        let compiled = Systems::builtin().compile(&Arc::new(Catalog::default()));
        compiled
            .generic_layouts()
            .iter()
            .map(|l| l.name.clone())
            .collect()
    };
    let first = names();
    assert!(first.len() > 10);
    for _ in 0..3 {
        assert_eq!(names(), first);
    }
}

/// Keys with the prefix of their system are declared, since a misspelt one would be a separate key.
#[test]
fn dotted_keys_are_declared() {
    let systems = Systems::builtin();
    for system in systems.iter() {
        let def = &system.def;
        let prefix = format!("{}.", system.name());
        let known = |name: &str| {
            !name.starts_with(&prefix)
                || def.keys.contains_key(name)
                || def
                    .keys
                    .values()
                    .any(|k| k.aliases.iter().any(|a| a == name))
        };
        let texts = def
            .messages
            .iter()
            .flat_map(|m| &m.patterns)
            .map(|p| p.get_ref().pattern().to_owned())
            .chain(def.parts.values().flatten().map(|p| p.get_ref().clone()))
            .chain(
                def.source
                    .iter()
                    .flat_map(|s| &s.glob)
                    .map(|g| g.get_ref().replace('*', "{}")),
            )
            .chain(def.layout.iter().map(|l| l.pattern.get_ref().clone()));
        for text in texts {
            for field in widetui_format::pattern::Pattern::compile(&text)
                .unwrap()
                .fields
            {
                // A value of a path may go on over further wildcards: `{key=}`.
                let name = field.name.trim_end_matches('=');
                assert!(known(name), "{name} in {text}");
            }
        }
        for target in def.json.iter().flat_map(|j| j.rename.values()) {
            assert!(known(target), "{target}");
        }
    }
}

/// Each file in `bad_systems` starts with `# error: ` lines that list the output of `check`, in order.
#[test]
fn mistakes_are_reported_at_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bad_systems");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let wanted: Vec<&str> = text
            .lines()
            .filter_map(|l| l.strip_prefix("# error: "))
            .collect();
        assert!(!wanted.is_empty(), "{name} promises no error");
        let got: Vec<String> = check::check(&name, &text)
            .iter()
            .map(|e| e.to_string().replacen(&format!("{name}:"), "", 1))
            .collect();
        assert_eq!(got, wanted, "{name}");
        seen += 1;
    }
    assert!(seen >= 8);
}

/// The example of the syntax documentation is valid.
#[test]
fn the_example_of_the_readme_is_sound() {
    let readme = include_str!("../../../../systems/README.md");
    let example = readme
        .split("```toml\n")
        .nth(1)
        .and_then(|t| t.split("```").next())
        .unwrap();
    let errors = check::check("README.md", example);
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_definition_of_the_user_wins_by_name_and_must_be_sound() {
    let mut systems = Systems::builtin();
    let count = systems.iter().count();
    let own = "name = \"parsl\"\ntitle = \"mine\"\n";
    systems.add("parsl.toml", own).unwrap();
    assert_eq!(systems.iter().count(), count);
    assert_eq!(systems.get("parsl").unwrap().def.title, "mine");
    let error = systems
        .add(
            "a.toml",
            "name = \"a\"\n[[layout]]\nname = \"a\"\npattern = \"{\"\n",
        )
        .unwrap_err();
    assert_eq!((error.line, error.column), (4, 12));
    assert!(systems.get("a").is_none());
}

/// Files outside their tree, renamed, rotated or compressed are still recognised.
#[test]
fn paths_and_contents_decide() {
    let systems = Systems::builtin();
    let tables = Arc::new(Catalog::default());
    let compiled = systems.compile(&tables);
    let head = "1795225387.115450 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396 ";
    let kind = |path: &str, rest: &str| {
        let line = format!("{head}{rest}\n");
        let choice = compiled.choose(path, &Sample::new(SourceHead::whole(line.as_bytes())));
        choice.kind.map_or(String::new(), |k| k.kind.to_string())
    };
    let dfk = "parsl.dataflow.dflow:734 f INFO: Task 1 checkpointed";
    let interchange =
        "parsl.executors.high_throughput.interchange:1 f INFO: Put task 1 onto pending_task_queue";
    // If the log lies elsewhere, its records name its folder.
    assert_eq!(kind("bundle/renamed.txt", dfk), "dfk_own");
    assert_eq!(kind("bundle/renamed.txt", interchange), "interchange");
    assert_eq!(
        kind("runinfo/000/htex/interchange.log.2.gz", interchange),
        "interchange"
    );
    assert_eq!(
        kind("runinfo/000/parsl.log", interchange),
        "dfk",
        "the path counts first"
    );
    assert_eq!(kind("x.log", "my.tool:1 f INFO: Task 1 checkpointed"), "");
    let claims = compiled.claims("runinfo/003/htex/block-2/0d1175/worker_4.log");
    assert_eq!(claims[0].tag, "w/2/4");
    let names: Vec<String> = claims[0]
        .consts
        .iter()
        .map(|c| tables.keys.by_id(c.0).unwrap().name.to_string())
        .collect();
    assert_eq!(
        names,
        [
            "parsl.rundir",
            "parsl.executor",
            "parsl.block",
            "parsl.manager",
            "parsl.worker"
        ]
    );
}

#[test]
fn the_output_of_a_job_may_be_somebodys_log() {
    let systems = Systems::builtin();
    let tables = Arc::new(Catalog::default());
    let compiled = systems.compile(&tables);
    let text = "distributed.scheduler - INFO - Register worker <WorkerState 'tcp://10.0.0.1:35787', name: a, status: init, \
                memory: 0, processing: 0>\n\
                distributed.scheduler - INFO - Scheduler closing...\n";
    let choice = compiled.choose(
        "x/slurm-77.out",
        &Sample::new(SourceHead::whole(text.as_bytes())),
    );
    let kind = choice.kind.as_ref().unwrap();
    assert_eq!((&*kind.system, &*kind.kind), ("dask", "scheduler"));
    assert_eq!(choice.tag, "out/77");
    assert_eq!(choice.consts.len(), 1);
    let RecordForm::Lines(layouts) = &choice.record_form else {
        panic!("{:?}", choice.record_form);
    };
    let reader = Reader {
        id: 0,
        syntax: Syntax::Lines(layouts.clone()),
        scope: choice.scope.clone(),
        interleaved: compiled.interleaved(),
        local: true,
        reference: 0,
        local_offset: None,
        stray: Vec::new(),
    };
    let key = |line: &str, name: &str| -> Option<String> {
        let fields = reader.fields(line.as_bytes(), &tables);
        let mut pairs = fields.pairs.into_iter();
        pairs
            .find(|(k, _)| &*k.name == name)
            .map(|(_, v)| v.concat())
    };
    let first = text.lines().next().unwrap();
    assert_eq!(key(first, "dask.worker").unwrap(), "tcp://10.0.0.1:35787");
    // A batch system message among them does not continue a record.
    let end = "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-11-20T17:57:57 DUE TO TIME LIMIT ***";
    assert!(
        reader
            .interleaved
            .find(end.as_bytes(), &mut Spans::new())
            .is_some()
    );
    assert_eq!(key(end, "slurm.job_state").unwrap(), "TIMEOUT");
    // A quotation does not make a text a log.
    let prose = "what it said:\n".repeat(20) + first;
    let choice = compiled.choose(
        "x/slurm-77.out",
        &Sample::new(SourceHead::whole(prose.as_bytes())),
    );
    assert_eq!(&*choice.kind.unwrap().system, "slurm");
}
