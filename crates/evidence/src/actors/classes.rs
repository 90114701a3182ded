//! Classes of names that identify instances: their values recur in several templates.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_core::nearest::nearest;

use super::batch::ReadRecord;
use super::interner::Interner;
use super::lexer::{Form, Mention, split_name};
use super::sources::{SourceName, stem};
use crate::data::Data;

/// Most values of a class whose instances are distinguished.
const MOST_VALUES: usize = 200_000;

/// Classes of names that are accepted.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    classes: FxHashSet<u32>,
    any_form: FxHashSet<u32>,
    /// Words that vary: class and value.
    words: FxHashSet<(u32, u32)>,
}

impl Accepted {
    /// True if a name is that of an instance.
    pub(super) fn has(&self, m: &Mention) -> bool {
        match m.form {
            Form::Numbered => self.classes.contains(&m.class),
            Form::Word => self.words.contains(&(m.class, m.value)),
            _ => self.any_form.contains(&m.class),
        }
    }
}

#[derive(Default)]
struct ClassUse {
    templates: FxHashSet<u32>,
    /// First template of each value, number of records, and whether another template has it.
    values: FxHashMap<u32, (u32, u32, bool)>,
    early: u32,
    records: u32,
}

/// Accepts classes. A number behind a word is one of an instance if the class stands in several templates and its values
/// recur over them, if few values recur in many records, or if it opens the line; never if it has fractions or units.
/// Classes of logs, `own`, are accepted.
pub(super) fn accepted(read: &[ReadRecord], texts: &Interner, own: FxHashSet<u32>) -> Accepted {
    let mut uses: FxHashMap<u32, ClassUse> = FxHashMap::default();
    let mut out = Accepted::default();
    let mut measured: FxHashSet<u32> = FxHashSet::default();
    let mut sizes: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
    for r in read {
        let fractions = r
            .numbers
            .iter()
            .filter(|n| n.dimension.is_some() || n.value.fract() != 0.0);
        measured.extend(fractions.map(|n| n.class));
        for m in &r.mentions {
            if m.form != Form::Numbered {
                let values = sizes.entry(m.class).or_default();
                if values.len() <= MOST_VALUES {
                    values.insert(m.value);
                }
                continue;
            }
            let class = uses.entry(m.class).or_default();
            if class.templates.len() < 50 {
                class.templates.insert(r.template);
            }
            class.records += 1;
            class.early += u32::from(m.leads);
            if class.values.len() <= MOST_VALUES {
                let value = class
                    .values
                    .entry(m.value)
                    .or_insert((r.template, 0, false));
                value.1 += 1;
                value.2 |= value.0 != r.template;
            }
        }
    }
    out.any_form.extend(own.iter().copied());
    for (class, values) in &sizes {
        if values.len() <= MOST_VALUES {
            out.any_form.insert(*class);
        }
    }
    out.words = words(read, texts);
    let data = Data::get();
    for (class, u) in &uses {
        let name = texts.text(*class);
        let again = u.values.values().filter(|v| v.1 >= 2);
        let (again, over) = again.fold((0, 0), |(n, m), v| (n + 1, m + usize::from(v.2)));
        let recurs = u.templates.len() >= 2 && over >= 1 && 2 * over >= again;
        let n = u.values.len();
        let is_few = n >= 2 && u.records as usize >= 2 * n && n <= 1000;
        let opens = 2 * u.early >= u.records && u.values.len() >= 3;
        let is_named = data.lists("nouns", name.rsplit('.').next().unwrap_or(name))
            || out.any_form.contains(class)
            || own.contains(class);
        let is_measured = data.lists("measures", name) || measured.contains(class) && !is_named;
        if n <= MOST_VALUES && !is_measured && (recurs || opens || is_few || is_named) {
            out.classes.insert(*class);
        }
    }
    out
}

/// Words behind nouns that vary: in several templates, or several at one place of a template; and others that are nearly
/// spelled as such a word.
fn words(read: &[ReadRecord], texts: &Interner) -> FxHashSet<(u32, u32)> {
    let mut templates: FxHashMap<(u32, u32), FxHashSet<u32>> = FxHashMap::default();
    let mut values: FxHashMap<(u32, u32), FxHashSet<u32>> = FxHashMap::default();
    for r in read {
        for m in r.mentions.iter().filter(|m| m.form == Form::Word) {
            let own = templates.entry((m.class, m.value)).or_default();
            if own.len() < 3 {
                own.insert(r.template);
            }
            values
                .entry((m.class, r.template))
                .or_default()
                .insert(m.value);
        }
    }
    let varies = |class: u32, all: &FxHashSet<u32>| {
        let at = |t: &u32| values.get(&(class, *t)).map_or(0, FxHashSet::len);
        all.len() >= 2 || all.iter().any(|t| at(t) >= 2)
    };
    let mut out: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut rest = Vec::new();
    for ((class, value), all) in &templates {
        match varies(*class, all) {
            true => _ = out.insert((*class, *value)),
            false => rest.push((*class, *value)),
        }
    }
    if out.len() < 500 {
        let similar = |(class, value): &(u32, u32)| {
            let known = out
                .iter()
                .filter(|(c, _)| c == class)
                .map(|(_, v)| texts.text(*v));
            nearest(texts.text(*value), known).is_some()
        };
        let similar: Vec<(u32, u32)> = rest.into_iter().filter(similar).collect();
        out.extend(similar);
    }
    out
}

/// Gives big numbers the class of the process or log with the same number: `pid 16496` is `worker-16496.log`.
pub(super) fn join_process_ids(
    read: &mut [ReadRecord],
    texts: &mut Interner,
    sources: &[SourceName],
) {
    let pid = texts.number("pid");
    let hash = texts.number("#");
    let mut of: FxHashMap<u32, u32> = FxHashMap::default();
    for r in read.iter() {
        if let Some(value) = r.pid {
            of.insert(value, pid);
        }
        for m in r.mentions.iter().filter(|m| m.class == pid) {
            of.insert(m.value, pid);
        }
    }
    for source in sources {
        if let Some((class, number)) = split_name(stem(&source.path))
            && number.len() >= 4
            && let Some(value) = texts.find(&number)
        {
            of.insert(value, texts.number(&class));
        }
    }
    for r in read {
        for m in &mut r.mentions {
            if m.class == hash || m.class == pid {
                m.class = of.get(&m.value).copied().unwrap_or(m.class);
            }
        }
        // Unknown numbers name nothing.
        let keeps: Vec<bool> = r
            .mentions
            .iter()
            .map(|m| m.class != hash || m.form == Form::Numbered)
            .collect();
        if keeps.iter().any(|k| !k) {
            let mut to = Vec::with_capacity(keeps.len());
            let mut next = 0u16;
            for keep in &keeps {
                to.push(keep.then_some(next));
                next += u16::from(*keep);
            }
            for n in &mut r.numbers {
                n.mention = n
                    .mention
                    .and_then(|m| to.get(usize::from(m)).copied().flatten());
            }
            let mut keep = keeps.iter();
            r.mentions.retain(|_| keep.next().copied().unwrap_or(true));
        }
    }
}
