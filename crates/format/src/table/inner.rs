//! Lists in the objects of an array whose elements are rows of their own: the steps of a job. Each is kept with those fields
//! of the object around it that say whose it is.

use serde_json::Value;

/// Rows of such lists take at most so many bytes: they wait for the end of the array that they stand in.
const MOST: usize = 256 << 20;

/// A list in the objects of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerList {
    /// Its name.
    pub name: String,
    /// Fields of the object around it, which its rows get where they have none of that name.
    pub(crate) outer: Vec<String>,
}

/// Rows of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerRows {
    /// The list.
    pub list: InnerList,
    /// They, as lines of JSON.
    pub lines: Vec<u8>,
    /// How many there was no room for.
    pub left_out: u64,
    /// What an object that has such a list holds.
    mark: String,
}

impl InnerRows {
    /// None yet.
    pub(super) fn of(list: InnerList) -> InnerRows {
        InnerRows {
            mark: format!("{}:[{{", Value::from(list.name.as_str())),
            list,
            lines: Vec::new(),
            left_out: 0,
        }
    }

    /// Takes the rows of an object, which stands there without blanks.
    pub(super) fn take(&mut self, object: &[u8]) {
        if memchr::memmem::find(object, self.mark.as_bytes()).is_none() {
            return;
        }
        let Ok(Value::Object(mut around)) = serde_json::from_slice(object) else {
            return;
        };
        let Some(Value::Array(rows)) = around.remove(&self.list.name) else {
            return;
        };
        for row in rows {
            let Value::Object(mut row) = row else {
                continue;
            };
            for name in &self.list.outer {
                if let Some(value) = around.get(name)
                    && !row.contains_key(name)
                {
                    row.insert(name.clone(), value.clone());
                }
            }
            if self.lines.len() > MOST {
                self.left_out += 1;
                continue;
            }
            self.lines.extend(Value::Object(row).to_string().bytes());
            self.lines.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_list_say_whose_they_are() {
        let list = InnerList {
            name: "steps".to_owned(),
            outer: vec!["job".to_owned(), "state".to_owned(), "none".to_owned()],
        };
        let mut rows = InnerRows::of(list);
        rows.take(br#"{"job":7,"state":"A","steps":[{"id":0},{"id":1,"state":"B"},5]}"#);
        rows.take(br#"{"job":8,"steps":[]}"#);
        rows.take(br#"{"job":9,"other":{"steps":[{"id":3}]}}"#);
        let text = String::from_utf8(rows.lines).unwrap();
        let wanted = "{\"id\":0,\"job\":7,\"state\":\"A\"}\n{\"id\":1,\"state\":\"B\",\"job\":7}\n";
        assert_eq!(text, wanted);
    }
}
