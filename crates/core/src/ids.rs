//! Identifiers: small integers that index tables, each of a distinct type so that they cannot be mixed up.

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
    /// Source: one stream of records (a file, an archive member, standard input).
    SourceId(u32)
);
id!(
    /// Event of a snapshot. Stable once loading is complete: later events get higher numbers.
    EventId(u32)
);
id!(
    /// Named attribute of events.
    KeyId(u16)
);
id!(
    /// Template: a message without its variable parts, by which users filter.
    TemplateId(u32)
);
id!(
    /// Shape: column layout of a group of records (one template at one code site, in one scope, with its plan).
    ShapeId(u32)
);
id!(
    /// Context: tuple of key values in the header of many records (process, pid, thread).
    ContextId(u32)
);
