//! Arguments that are no options: the subject of a command, then paths; standard input without paths.
//!
//! The first argument that names no file or folder is the subject, so a path before it is no mistake.

use std::ffi::OsStr;
use std::fs::File;
use std::io::stdin;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::args::{Subject, SubjectNeed};
use super::open::similar_path;
use super::output::{Failure, warn};

/// Time after which waiting for the data of a pipe is reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// Separates the subject of a command from its paths. Without a path, piped standard input is read.
///
/// # Errors
/// All arguments of a command that needs a subject are paths; a misspelt path stands in place of a subject.
pub fn settle(subject: Option<&mut Subject>, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if let Some(subject) = subject {
        if let Some(first) = subject.first.take() {
            paths.insert(0, first.into());
        }
        if subject.name.is_none() && subject.need != SubjectNeed::Unwanted {
            subject.name = take_subject(subject, paths)?;
        }
    }
    or_standard_input(paths);
    Ok(())
}

/// Reads standard input if there are no paths and it is a file or a pipe.
pub fn or_standard_input(paths: &mut Vec<PathBuf>) {
    if paths.is_empty() && has_input() {
        paths.push("-".into());
    }
}

/// Removes the subject from the arguments.
fn take_subject(subject: &Subject, paths: &mut Vec<PathBuf>) -> Result<Option<String>, Failure> {
    let is_known = |name: &str| subject.suggested.is_some_and(|names| names.knows(name));
    let is_subject = |path: &PathBuf| !is_path(path.as_os_str());
    let Some(at) = paths.iter().position(is_subject) else {
        let Some(first) = paths.first() else {
            return Ok(None);
        };
        // A folder may have the name of an entity.
        let name = first.to_string_lossy().into_owned();
        if is_known(&name) {
            let what = subject.placeholder;
            warn(format!("{name} is read as {what}; the path: ./{name}"));
            paths.remove(0);
            return Ok(Some(name));
        }
        return match subject.need {
            SubjectNeed::Required => Err(missing(subject, first)),
            SubjectNeed::Optional | SubjectNeed::Unwanted => Ok(None),
        };
    };
    let path = paths.remove(at);
    let name = path.to_string_lossy().into_owned();
    let similar = similar_path(&path);
    let may_be_path = subject.need == SubjectNeed::Optional || paths.is_empty();
    if may_be_path && !similar.is_empty() && !is_known(&name) {
        return Err(Failure::Message(format!(
            "{name}: no such file or folder{similar} A {} of this name: --{} '{name}'",
            subject.placeholder, subject.option
        )));
    }
    Ok(Some(name))
}

/// Failure of a command that needs a subject and has paths only.
fn missing(subject: &Subject, path: &Path) -> Failure {
    let (what, option, path) = (subject.placeholder, subject.option, path.display());
    Failure::Message(format!(
        "{what} is missing: {path} is a path; {what} comes first: {what} {path} (if {path} is meant as {what}: --{option} '{path}')"
    ))
}

/// True if an argument is a path: of an existing file, of standard input, or with a slash and nothing that paths lack.
fn is_path(argument: &OsStr) -> bool {
    if argument == "-" || Path::new(argument).symlink_metadata().is_ok() {
        return true;
    }
    let text = argument.to_string_lossy();
    let is_expression = text.contains(['=', '~', '<', '>', '"', '\'', '(', '`']);
    text.contains('/') && !is_expression && !text.contains(char::is_whitespace)
}

/// True if standard input is a file or a pipe. Terminals, devices such as `/dev/null` and sockets are inherited from whatever
/// started the program, and are no input. A pipe that is empty or stays without data is reported.
fn has_input() -> bool {
    let Ok(file) = stdin().as_fd().try_clone_to_owned().map(File::from) else {
        return false;
    };
    let Ok(kind) = file.metadata().map(|meta| meta.file_type()) else {
        return false;
    };
    if kind.is_fifo() {
        let mut pipe = [PollFd::new(&file, PollFlags::IN)];
        let patience = Timespec::try_from(PATIENCE).ok();
        let state = match poll(&mut pipe, patience.as_ref()) {
            Ok(0) => "reading standard input, a pipe without data so far",
            Ok(_) if !pipe[0].revents().contains(PollFlags::IN) => {
                "standard input is an empty pipe"
            }
            _ => return true,
        };
        warn(format!("{state}; `.` reads the current folder"));
    }
    kind.is_fifo() || kind.is_file()
}
