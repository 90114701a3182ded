//! Roles of text on the screen, by the names that themes use.

macro_rules! roles {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Role of a text or graphic, which a theme maps to a style.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Role { $($(#[$doc])* $variant,)* }

        /// Roles with their names in themes.
        pub const ROLES: &[(Role, &str)] = &[$((Role::$variant, $name),)*];
    };
}

roles! {
    /// Ground of the whole screen.
    Screen = "screen",
    /// Ordinary text.
    Text = "text",
    /// Secondary text.
    Muted = "text.muted",
    /// Least important text.
    Faint = "text.faint",
    /// Highlighted text.
    Strong = "text.strong",
    /// Times.
    Time = "time",
    /// Time since the previous row.
    Delta = "time.delta",
    /// Time since the previous row, if it is unusually long.
    DeltaLong = "time.long",
    /// Lines between panes.
    Rule = "rule",
    /// Title in a line between panes.
    Title = "rule.title",
    /// Title of the focused pane.
    TitleFocus = "rule.focus",
    /// Background of the row under the cursor.
    Cursor = "cursor",
    /// Background of the row under the cursor in an unfocused pane.
    CursorIdle = "cursor.idle",
    /// Bar at the start of the row under the cursor.
    Bar = "cursor.bar",
    /// Mark of a record.
    Mark = "mark",
    /// Level `trace`.
    Trace = "level.trace",
    /// Level `debug`.
    Debug = "level.debug",
    /// Level `info`.
    Info = "level.info",
    /// Level `warning`.
    Warning = "level.warning",
    /// Level `error`.
    Error = "level.error",
    /// Level `critical`.
    Critical = "level.critical",
    /// Message of a warning record.
    WarningText = "message.warning",
    /// Message of an error record.
    ErrorText = "message.error",
    /// Message of a debug record.
    DebugText = "message.debug",
    /// Search match.
    Match = "match",
    /// Name of a key.
    Key = "key",
    /// Value of a key.
    Value = "key.value",
    /// Origin of a value.
    Origin = "key.origin",
    /// Step of the breadcrumb.
    Step = "trail",
    /// Active step of the breadcrumb.
    StepNow = "trail.now",
    /// Number of records at a step of the breadcrumb.
    Count = "trail.count",
    /// Bars of the overview.
    Bars = "strip",
    /// Bars of unselected records in the overview.
    BarsAll = "strip.all",
    /// Curves under the overview.
    Curve = "strip.curve",
    /// Warnings in the overview.
    BarsWarning = "strip.warning",
    /// Errors in the overview.
    BarsError = "strip.error",
    /// Success in plots.
    BarsGood = "strip.good",
    /// Visible time range in the overview.
    View = "strip.view",
    /// Position of the cursor in the overview.
    Marker = "strip.marker",
    /// Axis of the overview.
    Axis = "strip.axis",
    /// Key of a key hint.
    HintKey = "hint.key",
    /// Action of a key hint.
    Hint = "hint",
    /// Background of a popup.
    Popup = "popup",
    /// Frame of a popup.
    PopupFrame = "popup.frame",
    /// Row under the cursor in a popup.
    PopupCursor = "popup.cursor",
    /// Prompt line.
    Prompt = "prompt",
    /// Notification.
    Message = "message",
    /// Notification of a problem.
    Alert = "message.alert",
}
