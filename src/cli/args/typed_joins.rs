//! Joins by hand, each in one line.

use clap::Args;
use widetui_join::TypedJoin;

/// Joins by hand: applied as those of definitions, and listed by `joins`.
#[derive(Clone, Debug, Default, Args)]
pub struct TypedJoinArgs {
    /// Give all records, or those of SOURCE (a tag, a path or its end), the key KEY with VALUE, or with one made of
    /// other keys (`{host}:{pid}`); repeatable
    #[arg(long, value_name = "KEY=VALUE[@SOURCE]")]
    constant: Vec<String>,
    /// Give records that have the key A the key B with the same value; repeatable
    #[arg(long, value_name = "A=B")]
    rename: Vec<String>,
    /// Records with equal values of A and B receive the values of C that others of them have; repeatable
    #[arg(long, value_name = "A,B => C")]
    imply: Vec<String>,
    /// Records of a thread between two messages, such as `"begin" .. "end" => KEY`, receive the values of KEY that others
    /// of them have; without the end the next beginning ends it; repeatable
    #[arg(long, value_name = "OPEN[..CLOSE] => KEY")]
    bracket: Vec<String>,
}

impl TypedJoinArgs {
    /// Lines with their kinds.
    pub fn lines(&self) -> impl Iterator<Item = (TypedJoin, &String)> {
        TypedJoin::ALL.into_iter().flat_map(|kind| {
            let lines = match kind {
                TypedJoin::Constant => &self.constant,
                TypedJoin::Rename => &self.rename,
                TypedJoin::Imply => &self.imply,
                TypedJoin::Bracket => &self.bracket,
            };
            lines.iter().map(move |line| (kind, line))
        })
    }
}
