//! Parts of the screen that themes give a look, by the names that themes use.

macro_rules! roles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A part of the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Role { $($(#[$doc])* $variant,)* }

        /// Their names in themes.
        pub const ROLES: &[(Role, &str)] = &[$((Role::$variant, $name),)*];
    };
}

roles! {
    /// Ordinary text.
    Text = "text",
    /// Secondary text.
    Muted = "text.muted",
    /// Text that is there when looked for.
    Faint = "text.faint",
    /// What stands out.
    Strong = "text.strong",
    /// Times.
    Time = "time",
    /// The step to the row before.
    Delta = "time.delta",
    /// A step so long that it should be seen.
    DeltaLong = "time.long",
    /// Lines between panes.
    Rule = "rule",
    /// Title in such a line.
    Title = "rule.title",
    /// Title of the pane that has the keys.
    TitleFocus = "rule.focus",
    /// Background of the row under the cursor.
    Cursor = "cursor",
    /// The same in a pane that does not have the keys.
    CursorIdle = "cursor.idle",
    /// The bar at the start of that row.
    Bar = "cursor.bar",
    /// A mark.
    Mark = "mark",
    /// Finest level.
    Trace = "level.trace",
    /// For developers.
    Debug = "level.debug",
    /// Normal.
    Info = "level.info",
    /// Unexpected.
    Warning = "level.warning",
    /// Failed.
    Error = "level.error",
    /// Cannot go on.
    Critical = "level.critical",
    /// Message of a warning.
    WarningText = "message.warning",
    /// Message of an error.
    ErrorText = "message.error",
    /// Message of a debug record.
    DebugText = "message.debug",
    /// A hit of the search.
    Match = "match",
    /// Name of a key.
    Key = "key",
    /// Value of a key.
    Value = "key.value",
    /// Where a value comes from.
    Origin = "key.origin",
    /// A step of the trail.
    Step = "trail",
    /// The step in force.
    StepNow = "trail.now",
    /// Number of records at a step.
    Count = "trail.count",
    /// Bars of the strip.
    Bars = "strip",
    /// Bars of records that are not selected.
    BarsAll = "strip.all",
    /// Curves under the strip.
    Curve = "strip.curve",
    /// Warnings in the strip.
    BarsWarning = "strip.warning",
    /// Errors in the strip.
    BarsError = "strip.error",
    /// What ended well, in pictures.
    BarsGood = "strip.good",
    /// The stretch on screen.
    View = "strip.view",
    /// The place of the cursor.
    Marker = "strip.marker",
    /// Axis of the strip.
    Axis = "strip.axis",
    /// A key in a hint.
    HintKey = "hint.key",
    /// What it does.
    Hint = "hint",
    /// A popup.
    Popup = "popup",
    /// Its frame.
    PopupFrame = "popup.frame",
    /// Its row under the cursor.
    PopupCursor = "popup.cursor",
    /// The line being written.
    Prompt = "prompt",
    /// A message of the program.
    Message = "message",
    /// What went wrong.
    Alert = "message.alert",
}
