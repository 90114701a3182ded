//! Subject of a command: the entity, instance, key, flow or expression that it is about.

use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::suggestions::Suggested;

/// Need of a command for a subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubjectNeed {
    /// The command has no answer without a subject.
    #[default]
    Required,
    /// Without a subject the command answers about all of them.
    Optional,
    /// All arguments are paths.
    Unwanted,
}

/// Subject as typed: as the first argument, or as an option.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Name of the subject. Only that of the option before the arguments are settled.
    pub name: Option<String>,
    /// First argument that is no option, before the arguments are settled: the subject or a path.
    pub first: Option<OsString>,
    /// Need of the command.
    pub need: SubjectNeed,
    /// Placeholder in help and messages: `ENTITY`.
    pub placeholder: &'static str,
    /// Name of the option, without dashes.
    pub option: &'static str,
    /// Names of the built-in definitions.
    pub suggested: Option<Suggested>,
}

/// Description of the subject of a command.
pub trait SubjectKind {
    /// Placeholder in help and messages.
    const PLACEHOLDER: &'static str;
    /// Name of the option, without dashes.
    const OPTION: &'static str = "of";
    /// Help.
    const HELP: &'static str;
    /// Need of the command.
    const NEED: SubjectNeed = SubjectNeed::Required;
    /// Names of the built-in definitions.
    const SUGGESTED: Option<Suggested> = None;
}

/// Subject argument and its option.
#[derive(Debug, Default)]
pub struct SubjectArgs<K> {
    /// Subject as typed.
    pub subject: Subject,
    kind: PhantomData<K>,
}

impl<K> SubjectArgs<K> {
    /// Name of the subject of a command that has one.
    pub fn name(&self) -> &str {
        self.given().unwrap_or_default()
    }

    /// Name of the subject, if one is given.
    pub fn given(&self) -> Option<&str> {
        self.subject.name.as_deref()
    }
}

impl<K: SubjectKind> Args for SubjectArgs<K> {
    fn augment_args(command: Command) -> Command {
        let first = Arg::new("subject")
            .value_name(K::PLACEHOLDER)
            .help(K::HELP)
            .value_parser(FirstArgument(K::SUGGESTED))
            .hide_possible_values(true);
        let option = Arg::new("of")
            .long(K::OPTION)
            .value_name(K::PLACEHOLDER)
            .help(format!(
                "The {} as an option: all arguments are paths",
                K::PLACEHOLDER
            ))
            .hide_possible_values(true);
        let option = match K::OPTION {
            "of" => option,
            _ => option.alias("of"),
        };
        let option = match K::SUGGESTED {
            Some(names) => option.value_parser(names),
            None => option,
        };
        let first = match K::NEED {
            SubjectNeed::Required => first.required_unless_present("of"),
            SubjectNeed::Optional | SubjectNeed::Unwanted => first,
        };
        command.arg(first).arg(option)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<K: SubjectKind> FromArgMatches for SubjectArgs<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(SubjectArgs {
            subject: Subject {
                name: matches.get_one::<String>("of").cloned(),
                first: matches.get_one::<OsString>("subject").cloned(),
                need: K::NEED,
                placeholder: K::PLACEHOLDER,
                option: K::OPTION,
                suggested: K::SUGGESTED,
            },
            kind: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Parser of an argument that may be a path, and suggests names.
#[derive(Clone, Copy, Debug)]
struct FirstArgument(Option<Suggested>);

impl TypedValueParser for FirstArgument {
    type Value = OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<OsString, Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.as_ref()?.possible_values()
    }
}

/// Entity of a command about one.
#[derive(Debug, Default)]
pub struct OneEntity;

impl SubjectKind for OneEntity {
    const PLACEHOLDER: &'static str = "ENTITY";
    const HELP: &'static str = "Entity: parsl.task, parsl.try ...";
    const SUGGESTED: Option<Suggested> = Some(Suggested::Entities);
}

/// Entity or instance of a graph of dependencies.
#[derive(Debug, Default)]
pub struct DagSubject;

impl SubjectKind for DagSubject {
    const PLACEHOLDER: &'static str = "ENTITY";
    const HELP: &'static str = "Entity (default: the work items with most dependencies), or an instance, all that it waits for and all that waits for it: parsl.task=24";
    const NEED: SubjectNeed = SubjectNeed::Optional;
    const SUGGESTED: Option<Suggested> = Some(Suggested::Entities);
}

/// Entity of spans, which need none between two expressions.
#[derive(Debug, Default)]
pub struct SpanEntity;

impl SubjectKind for SpanEntity {
    const PLACEHOLDER: &'static str = "ENTITY";
    const HELP: &'static str = "Entity: parsl.try, parsl.task ... (none with --start and --end)";
    const NEED: SubjectNeed = SubjectNeed::Optional;
    const SUGGESTED: Option<Suggested> = Some(Suggested::Entities);
}

/// Entity whose instances are listed.
#[derive(Debug, Default)]
pub struct ListedEntity;

impl SubjectKind for ListedEntity {
    const PLACEHOLDER: &'static str = "ENTITY";
    const HELP: &'static str = "Print the instances of this entity (default: all entities)";
    const NEED: SubjectNeed = SubjectNeed::Optional;
    const SUGGESTED: Option<Suggested> = Some(Suggested::Entities);
}

/// Key whose values are counted.
#[derive(Debug, Default)]
pub struct ListedKey;

impl SubjectKind for ListedKey {
    const PLACEHOLDER: &'static str = "KEY";
    const OPTION: &'static str = "key";
    const HELP: &'static str = "Print the values of this key (default: all keys)";
    const NEED: SubjectNeed = SubjectNeed::Optional;
    const SUGGESTED: Option<Suggested> = Some(Suggested::Keys);
}

/// Numeric key.
#[derive(Debug, Default)]
pub struct SeriesKey;

impl SubjectKind for SeriesKey {
    const PLACEHOLDER: &'static str = "KEY";
    const OPTION: &'static str = "key";
    const HELP: &'static str = "Numeric key";
    const SUGGESTED: Option<Suggested> = Some(Suggested::Series);
}

/// Instance of an entity.
#[derive(Debug, Default)]
pub struct OneInstance;

impl SubjectKind for OneInstance {
    const PLACEHOLDER: &'static str = "ENTITY=ID";
    const HELP: &'static str = "Instance: KEY=VALUE, or KEY=VALUE,KEY=VALUE if the first is ambiguous; or its name, \"task 24\"";
}

/// Flow of messages.
#[derive(Debug, Default)]
pub struct OneFlow;

impl SubjectKind for OneFlow {
    const PLACEHOLDER: &'static str = "NAME";
    const HELP: &'static str = "Only this flow (default: all flows)";
    const NEED: SubjectNeed = SubjectNeed::Optional;
    const SUGGESTED: Option<Suggested> = Some(Suggested::Flows);
}

/// Expression that selects events.
#[derive(Debug, Default)]
pub struct SelectedEvents;

impl SubjectKind for SelectedEvents {
    const PLACEHOLDER: &'static str = "EXPR";
    const HELP: &'static str = "Events to contrast with the others, e.g. `level >= error`";
}
