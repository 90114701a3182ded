//! Lists inside the objects of an array whose elements are rows of their own, such as the steps of a job. Each row
//! keeps the fields of the surrounding object that identify its owner.

use serde_json::Value;

/// Maximum total size of such rows, bytes; they are buffered until the end of the surrounding array.
const MAX_BYTES: usize = 256 << 20;

/// List inside the objects of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerList {
    /// Name of the list.
    pub name: String,
    /// Fields of the surrounding object that its rows inherit unless they have a field of that name.
    pub(crate) outer: Vec<String>,
}

/// Rows of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerRows {
    /// List.
    pub list: InnerList,
    /// Rows as JSON lines.
    pub lines: Vec<u8>,
    /// Number of rows beyond the maximum size.
    pub left_out: u64,
    /// Text that an object with such a list contains.
    mark: String,
}

impl InnerRows {
    /// Empty rows of a list.
    pub(super) fn of(list: InnerList) -> InnerRows {
        InnerRows {
            mark: format!("{}:[{{", Value::from(list.name.as_str())),
            list,
            lines: Vec::new(),
            left_out: 0,
        }
    }

    /// Adds the rows of an object, which is written without blanks.
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
            if self.lines.len() > MAX_BYTES {
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
    fn rows_of_a_list_keep_their_owner() {
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
