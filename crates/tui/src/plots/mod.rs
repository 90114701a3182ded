//! Marks of figures in cells; each module draws one kind.
//!
//! [`member_styles::MemberStyles`] assigns the hues and patterns that distinguish the members of all plots.

pub mod axis;
pub mod bars;
pub mod curves;
pub mod gantt;
pub mod legend;
pub mod lines;
pub mod member_styles;
pub mod sequence;
pub mod spread;
pub mod stacked;
pub mod text;

pub use member_styles::MemberStyles;
