//! Identifiers: small integers that index tables, each with a type of its own so that they cannot be mixed up.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($repr:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub $repr);

        impl $name {
            /// The identifier as an index into its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A source: one stream of records (a file, a member of an archive, standard input).
    SourceId(u32)
);
id!(
    /// An event of a snapshot. Stable once the load is complete: later events get higher numbers.
    EventId(u32)
);
id!(
    /// A named attribute of events.
    KeyId(u16)
);
id!(
    /// A message with its variable parts taken out; what users filter by.
    TemplateId(u32)
);
id!(
    /// One way in which records are laid out in columns: a template at one code site, in one scope, with its plan.
    ShapeId(u32)
);
id!(
    /// A tuple of key values that stands in the header of many records (process, pid, thread).
    ContextId(u32)
);
