//! Random expressions, and expressions that are likely to match the records of random stores.

use proptest::prelude::*;
use proptest::sample::select;

use crate::tests::store::Plan;
use crate::{Comparison, Expr, Field, Op};

/// Any expression that can be written, including unusual names and values.
pub(crate) fn any_expr() -> impl Strategy<Value = Expr> {
    let name = prop_oneof![
        "[a-z]{1,3}(\\.[a-z]{1,3})?",
        "[ -~é]{1,6}",
        select(vec!["and", "has", "in", "time", "log.time", "not"]).prop_map(str::to_owned),
    ];
    let key = name.prop_map(|n| Field::key(&n));
    let field = prop_oneof![
        4 => key,
        1 => select(vec![Field::Source, Field::Template, Field::Message]),
    ];
    let value = prop_oneof![
        "[ -~é\n]{0,8}",
        "b'[0-9a-f]{1,4}'",
        "-?[0-9]{1,3}(\\.[0-9])?",
        Just("and".to_owned()),
    ];
    let op = select(vec![Op::Eq, Op::Ne]);
    let leaf = prop_oneof![
        Just(Expr::All),
        value.clone().prop_map(Expr::Text),
        field.clone().prop_map(Expr::Has),
        (field.clone(), op, value.clone()).prop_map(|(f, op, v)| Expr::compare(f, op, v)),
        (
            field,
            select(vec![Op::In, Op::NotIn]),
            proptest::collection::vec(value, 1..4)
        )
            .prop_map(|(field, op, values)| Expr::Compare(Comparison {
                field,
                op,
                values
            })),
        (-1_000_000i64..1_000_000, select(vec![Op::Lt, Op::Ge])).prop_map(|(ns, op)| {
            let text = widetui_time::time::rfc3339_nanos(ns * 1_000_003);
            Expr::compare(Field::Time, op, text)
        }),
        select(vec!["warning", "debug"]).prop_map(|l| Expr::compare(Field::Level, Op::Ge, l)),
        select(vec![
            "a(b|c)", "^x y$", "\\d+\"", "a b", "/x/", "/a b/", "/tmp"
        ])
        .prop_map(|p| Expr::compare(Field::key("k"), Op::Match, p)),
    ];
    nested(leaf.boxed())
}

fn nested(leaf: BoxedStrategy<Expr>) -> impl Strategy<Value = Expr> {
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Expr::all_of),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Expr::any_of),
            inner.prop_map(|e| !e),
        ]
    })
}

/// Expressions about values in the records of `plans`.
pub(crate) fn matching_expr() -> impl Strategy<Value = Expr> {
    let key = select(vec![
        "sys.task",
        "task_id",
        "sys.state",
        "sys.id",
        "sys.load",
        "event",
        "logger",
        "thread",
        "block",
        "job",
        "none",
    ])
    .prop_map(Field::key);
    let order = select(vec![
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::Match,
        Op::NoMatch,
    ]);
    let text_op = select(vec![Op::Eq, Op::Ne, Op::Match, Op::NoMatch]);
    let value = select(vec![
        "3", "03", "2", "1.5", "1.50", "done", "b'3a'", "3a", "main", "a", "app.core", "state",
        "-1",
    ]);
    let word = select(vec![
        "task",
        "Task",
        "is",
        "done",
        "TASK",
        "3",
        "load",
        "é",
        "É",
        "x\ny",
        "\"q\"",
        "sent",
        "core",
        "job=3",
        "",
        "\\",
        "1.5 of",
        "=",
        "thread=a",
        " is ",
        "3 is done",
        "late (by far)",
        "later (by far)",
        "r (By far), or",
        "load of tasks",
    ]);
    let pattern = select(vec![
        "^Task",
        "task [0-9]+",
        "done$",
        "is|load",
        "[0-9]+ is",
        "a.b",
        "q\"",
        "T.sk 3",
        "(?s)x.*y",
        "\\bjob\\b",
    ]);
    let leaf = prop_oneof![
        4 => (key.clone(), order.clone(), value.clone()).prop_map(|(f, op, v)| Expr::compare(f, op, v)),
        1 => (key.clone(), proptest::collection::vec(value, 1..3)).prop_map(|(field, v)| Expr::Compare(Comparison {
            field, op: Op::In, values: v.into_iter().map(str::to_owned).collect(),
        })),
        1 => key.prop_map(Expr::Has),
        1 => select(vec![Field::Time, Field::Level]).prop_map(Expr::Has),
        3 => word.clone().prop_map(|w| Expr::Text(w.to_owned())),
        2 => pattern.prop_map(|p| Expr::compare(Field::Message, Op::Match, p)),
        1 => select(vec!["Task 3 is done", "job 3", "x\ny"]).prop_map(|m| Expr::compare(Field::Message, Op::Ne, m)),
        1 => (order.clone(), select(vec!["info", "warning"])).prop_map(|(op, l)| Expr::compare(Field::Level, op, l)),
        1 => (order.prop_filter("times have no patterns", |op| !matches!(op, Op::Match | Op::NoMatch)), 0..9u32)
            .prop_map(|(op, s)| Expr::compare(Field::Time, op, format!("1970-01-01T00:00:0{s}.000000000Z"))),
        1 => (text_op.clone(), select(vec!["w/0", "/run/w/1.log", "w"])).prop_map(|(op, s)| Expr::compare(Field::Source, op, s)),
        1 => (text_op, select(vec!["Task {} is done", "job", "9e0d4293cdf55560"])).prop_map(|(op, s)| Expr::compare(Field::Template, op, s)),
    ];
    nested(leaf.boxed())
}

fn message() -> impl Strategy<Value = String> {
    let n = || select(vec!["3", "03", "2", "15", "-1"]);
    prop_oneof![
        (n(), select(vec!["done", "running"])).prop_map(|(n, s)| format!("Task {n} is {s}")),
        (n(), n()).prop_map(|(a, b)| format!("Sent tasks: [{a}, {b}] to b'3a'")),
        n().prop_map(|a| format!("Sent tasks: [{a}] to 3b")),
        (select(vec!["1.5", "1.50", "2.0"]), n()).prop_map(|(x, n)| format!("load {x} of {n}")),
        (n(), n()).prop_map(|(a, b)| format!("job {a} of block {b}")),
        n().prop_map(|a| format!("job={a} \"q\" É a\\b")),
        n().prop_map(|a| format!("was {a} later (by far), or so")),
        select(vec![
            "x\ny",
            "nothing",
            "TASK é",
            "",
            "done\nTask 3 is done"
        ])
        .prop_map(str::to_owned),
    ]
}

fn record(json: bool) -> impl Strategy<Value = String> {
    (
        message(),
        0..9u32,
        select(vec!["INFO", "WARNING"]),
        select(vec!["main", "a"]),
        0..8u32,
        any::<bool>(),
    )
        .prop_map(move |(message, second, level, thread, form, escape)| {
            if !json {
                return match form {
                    0 => format!("  {message}"),
                    _ => format!(
                        "1970-01-01 00:00:0{second}.000 {level} app.core {thread} {message}"
                    ),
                };
            }
            let mut object = serde_json::json!({
                "ts": format!("1970-01-01T00:00:0{second}Z"), "level": level, "thread": thread, "msg": message,
            });
            match form {
                0 => return message.replace('\n', " "),
                1 => {
                    object.as_object_mut().unwrap().remove("msg");
                    object["job"] = second.into();
                }
                2 => object["sys.task"] = serde_json::json!([second, "x"]),
                3 => object["sys.load"] = serde_json::json!(1.5),
                4 => object["block"] = serde_json::Value::Null,
                _ => {}
            }
            let text = object.to_string();
            if escape {
                text.replace('T', "\\u0054").replace('é', "\\u00e9")
            } else {
                text
            }
        })
}

pub(crate) fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let plan = (any::<bool>(), proptest::option::of(1..4u32), 0..8usize).prop_flat_map(
        |(json, block, cut)| {
            proptest::collection::vec(record(json), 0..10).prop_map(move |records| Plan {
                tag: String::new(),
                block,
                json,
                records,
                cut,
            })
        },
    );
    proptest::collection::vec(plan, 1..4).prop_map(|mut plans| {
        for (i, plan) in plans.iter_mut().enumerate() {
            plan.tag = format!("w/{i}");
        }
        plans
    })
}
