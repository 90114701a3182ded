//! Words with a fixed meaning: names of the fields that every event has, and words that name nothing.

/// Names of the fields that every event has; a field of a log with one of these names becomes `log.NAME`.
pub const RESERVED: [&str; 5] = ["time", "source", "level", "message", "template"];

/// Words before a number that do not name an entity.
pub(crate) const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "but", "by", "can", "could", "delete", "did", "do", "does", "done", "each", "else",
    "every", "false", "first", "for", "from", "get", "got", "had", "has", "have", "if", "in",
    "into", "is", "it", "its", "last", "least", "left", "less", "line", "may", "more", "most",
    "ms", "must", "next", "no", "not", "now", "of", "off", "ok", "on", "only", "or", "out", "over",
    "patch", "per", "post", "put", "s", "should", "so", "some", "than", "that", "the", "then",
    "there", "these", "this", "to", "took", "total", "true", "under", "until", "up", "using",
    "via", "was", "were", "when", "while", "will", "with", "within", "without", "would",
];
