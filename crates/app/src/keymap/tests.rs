//! What keymaps promise: the fixed keys, layers, places of mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;

/// Keys that mean the same everywhere and for ever.
const FIXED: &[(&str, &str)] = &[
    ("j", "down"),
    ("down", "down"),
    ("k", "up"),
    ("up", "up"),
    ("g", "first"),
    ("G", "last"),
    ("ctrl-d", "half-page-down"),
    ("ctrl-u", "half-page-up"),
    ("pagedown", "page-down"),
    ("pageup", "page-up"),
    ("enter", "open"),
    ("esc", "back"),
    ("p", "pivot"),
    ("u", "undo"),
    ("ctrl-r", "redo"),
    ("/", "search"),
    ("n", "next-hit"),
    ("N", "previous-hit"),
    ("f", "filter"),
    ("e", "next-error"),
    ("E", "previous-error"),
    ("w", "next-warning"),
    ("W", "previous-warning"),
    ("m", "mark"),
    ("'", "next-mark"),
    ("J", "joins"),
    ("1", "view-events"),
    ("2", "view-hung"),
    ("3", "view-states"),
    ("4", "view-timeline"),
    ("5", "view-latency"),
    ("6", "view-joins"),
    ("7", "view-entities"),
    ("8", "view-keys"),
    ("9", "view-sources"),
    ("tab", "next-pane"),
    ("F", "follow"),
    (":", "palette"),
    ("ctrl-p", "palette"),
    ("y", "copy"),
    ("?", "help"),
    ("q", "quit"),
];

/// Keys that a keymap gives another meaning, because the hand it is for expects it, and the meaning.
const FORCED: &[(&str, &str, &str)] = &[
    ("emacs", "ctrl-p", "up"),
    ("emacs", "ctrl-r", "previous-hit"),
];

#[test]
fn a_menu_is_found_by_what_stands_in_it() {
    let keymap = Keymap::standard();
    let scopes = [KeyScope::Events, KeyScope::Global];
    assert_eq!(
        keymap.prefix_of(&scopes, Command::ViewTemplates),
        Key::parse("v")
    );
    assert_eq!(keymap.prefix_of(&scopes, Command::Quit), None);
}

#[test]
fn the_fixed_keys_mean_the_same_in_every_scope() {
    for name in ["default", "vim", "emacs"] {
        let map = Keymap::chosen(name, &[]).unwrap();
        for (key, command) in FIXED {
            let forced = FORCED.iter().find(|f| (f.0, f.1) == (name, *key));
            let command = forced.map_or(*command, |f| f.2);
            let parsed = Key::parse(key).unwrap();
            let wanted = Command::named(command);
            assert_eq!(map.bound(KeyScope::Global, parsed), wanted, "{name}: {key}");
            for scope in map.scopes() {
                let got = map.resolve(&[scope, KeyScope::Global], &[parsed]);
                // Where a line is written, control keys edit it as a shell does, or in their own culture.
                let writes = matches!(scope, KeyScope::Prompt | KeyScope::Picker);
                if writes && key.starts_with("ctrl-") {
                    continue;
                }
                let wanted = Resolution::Run(wanted.unwrap());
                assert_eq!(got, wanted, "{name}: {key} in {scope:?}");
            }
        }
    }
}

#[test]
fn the_hands_find_their_keys() {
    for (name, keys, command) in [
        ("vim", "ctrl-e", "scroll-down"),
        ("vim", "ctrl-y", "scroll-up"),
        ("vim", "z z", "cursor-to-middle"),
        ("vim", "z t", "cursor-to-top"),
        ("vim", "z b", "cursor-to-bottom"),
        ("vim", "*", "search-subject"),
        ("vim", "#", "search-subject-back"),
        ("vim", "h", "left"),
        ("vim", "l", "right"),
        ("vim", "ctrl-f", "page-down"),
        ("vim", "ctrl-b", "page-up"),
        ("emacs", "ctrl-n", "down"),
        ("emacs", "ctrl-v", "page-down"),
        ("emacs", "alt-v", "page-up"),
        ("emacs", "alt-<", "first"),
        ("emacs", "alt->", "last"),
        ("emacs", "ctrl-s", "search-on"),
        ("emacs", "ctrl-g", "back"),
        ("emacs", "alt-x", "palette"),
        ("vim", "Z Z", "leave"),
        ("vim", "ctrl-w v", "view-beside"),
        ("vim", "ctrl-w w", "next-pane"),
        ("emacs", "ctrl-x ctrl-c", "leave"),
        ("emacs", "ctrl-x ctrl-s", "save-workspace"),
        ("emacs", "ctrl-x 2", "view-below"),
        ("emacs", "ctrl-x 3", "view-beside"),
    ] {
        let map = Keymap::chosen(name, &[]).unwrap();
        let keys_parsed = crate::keys::parse_sequence(keys).unwrap();
        let wanted = Resolution::Run(Command::named(command).unwrap());
        let got = map.resolve(&[KeyScope::Events, KeyScope::Global], &keys_parsed);
        assert_eq!(got, wanted, "{name}: {keys}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let bad = |text: &str| Keymap::parse(text).unwrap_err().to_string();
    let misspelt = bad("[[global]]\non = 'x'\nrun = 'quti'\n");
    assert_eq!(
        misspelt,
        "keymap:3:7: no command is called `quti`; did you mean `quit`?"
    );
    assert!(
        bad("[[global]]\non='hyper-x'\nrun='quit'").starts_with("keymap:2:4: `hyper-x` is no key")
    );
    assert!(bad("[[nowhere]]\non='x'\nrun='quit'").contains("nowhere"));
    assert!(bad("[[global]]\non=['x','x y']\nrun='quit'").contains("bound twice"));
    assert!(bad("[[global]]\non='x'\nrun='quit'\nwhen='z'").contains("when"));
    assert!(bad("[[global]]\non='x'").contains("`run` is missing"));
    let base = bad("base = 'vi'");
    assert!(base.starts_with("keymap:1:8: there is no keymap `vi`"));
    assert!(base.ends_with("; did you mean `vim`?"), "{base}");
    assert!(bad("[unbind]\nglobal = ['alt-q']").starts_with("keymap:2:11: `alt-q` is not bound"));
    let nothing = bad("base = 'none'\n[unbind]\nglobal = ['q']");
    assert!(
        nothing.starts_with("keymap:3:11: `q` is not bound"),
        "{nothing}"
    );
}

#[test]
fn a_keymap_lies_over_its_base() {
    let key = |t: &str| crate::keys::parse_sequence(t).unwrap();
    let run = |map: &Keymap, keys: &str| match map
        .resolve(&[KeyScope::Events, KeyScope::Global], &key(keys))
    {
        Resolution::Run(command) => Some(command.info().name),
        _ => None,
    };
    let own = "[unbind]\nglobal = ['t', 'Y']\n[[global]]\non = 'x'\nrun = 'quit'\n[[global]]\non = 'z a'\nrun = 'wrap'\n[[global]]\non = 'v'\nrun = 'help'\n";
    let map = Keymap::parse(own).unwrap();
    // Its own, the base's, those taken from the base, those unbound.
    assert_eq!(run(&map, "x"), Some("quit"));
    assert_eq!(run(&map, "q"), Some("quit"));
    assert_eq!(run(&map, "z a"), Some("wrap"));
    assert_eq!(run(&map, "z"), None);
    assert_eq!(run(&map, "v"), Some("help"));
    assert_eq!(run(&map, "t"), None);
    assert_eq!(run(&map, "Y j"), None);
    // Its own keys are the ones that hints name.
    assert_eq!(
        map.keys_of(&[KeyScope::Global], Command::Quit).unwrap(),
        "x"
    );
    let bare = Keymap::parse("base = 'none'\n[[global]]\non = 'x'\nrun = 'quit'\n").unwrap();
    assert_eq!((run(&bare, "x"), run(&bare, "q")), (Some("quit"), None));
    // A file of the name of its base lies over the one that is built in.
    let file = |text: &str| vec![("/c/vim.toml".to_owned(), text.to_owned())];
    let vim = Keymap::chosen(
        "vim",
        &file("base = 'vim'\n[[global]]\non = 'x'\nrun = 'quit'\n"),
    )
    .unwrap();
    assert_eq!(
        (run(&vim, "x"), run(&vim, "z t")),
        (Some("quit"), Some("cursor-to-top"))
    );
    let error = Keymap::chosen("vim", &file("\n[[global]]\non = 'x'\nrun = 'x'")).unwrap_err();
    assert!(
        error.to_string().starts_with("/c/vim.toml:4:7: "),
        "{error}"
    );
}

#[test]
fn a_prefix_waits_for_the_next_key_and_inner_scopes_win() {
    let map = Keymap::parse(
        "base='none'\n[[global]]\non='x'\nrun='quit'\n[[events]]\non='x a'\nrun='copy'\n[[events]]\non='x b'\nrun='mark'\ndesc='note it'",
    )
    .unwrap();
    let key = |t: &str| Key::parse(t).unwrap();
    let scopes = [KeyScope::Events, KeyScope::Global];
    match map.resolve(&scopes, &[key("x")]) {
        Resolution::Pending(next) => assert_eq!(next[1].what, "note it"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        map.resolve(&scopes, &[key("x"), key("a")]),
        Resolution::Run(Command::Copy)
    );
    assert_eq!(
        map.resolve(&[KeyScope::Record, KeyScope::Global], &[key("x")]),
        Resolution::Run(Command::Quit)
    );
    assert_eq!(map.resolve(&scopes, &[key("z")]), Resolution::Nothing);
    assert_eq!(map.keys_of(&scopes, Command::Mark).unwrap(), "x b");
}

#[test]
fn a_key_that_an_inner_scope_takes_is_not_shown_for_what_it_would_do_outside() {
    let map = Keymap::parse(
        "base='none'\n[[table]]\non=['s', '>']\nrun='sort-right'\n[[joins]]\non='s'\nrun='save-join'\n[[global]]\non='v s'\nrun='quit'\n[[newjoin]]\non='v'\nrun='copy'",
    )
    .unwrap();
    let of = |scopes: &[KeyScope], command| map.all_keys_of(scopes, command);
    assert_eq!(of(&[KeyScope::Table], Command::SortNext), ["s", ">"]);
    assert_eq!(
        of(&[KeyScope::Joins, KeyScope::Table], Command::SortNext),
        [">"]
    );
    assert_eq!(
        of(&[KeyScope::Joins, KeyScope::Global], Command::Quit),
        ["v s"]
    );
    assert!(of(&[KeyScope::NewJoin, KeyScope::Global], Command::Quit).is_empty());
}

#[test]
fn a_letter_that_shows_a_view_alone_shows_it_in_the_menu_of_views() {
    use crate::model::View;
    for keymap in [
        Keymap::standard(),
        Keymap::chosen("vim", &[]).unwrap(),
        Keymap::chosen("emacs", &[]).unwrap(),
    ] {
        let run = |keys: &[Key]| match keymap.resolve(&[KeyScope::Global], keys) {
            Resolution::Run(command) => Some(command),
            _ => None,
        };
        let is_view = |command: Command| {
            let more = [
                Command::ViewDiagnose,
                Command::ViewCompare,
                Command::ViewFlow,
                Command::ViewSeries,
            ];
            View::shown_by(command).is_some() || more.contains(&command)
        };
        let prefix = Key::parse("v").unwrap();
        let mut met = 0;
        for c in ('0'..='9').chain('a'..='z').chain('A'..='Z') {
            let key = Key::parse(&c.to_string()).unwrap();
            let (alone, below) = (run(&[key]), run(&[prefix, key]));
            if let Some(command) = alone.filter(|a| is_view(*a)) {
                assert_eq!(below, Some(command), "v {c}");
                met += 1;
            }
            // And the other way round: what is shown there is not some other view alone.
            if let Some(command) = below.filter(|a| is_view(*a)) {
                let other = alone.filter(|a| is_view(*a) && *a != command);
                assert_eq!(other, None, "v {c}");
            }
        }
        assert!(met >= 11, "{met}");
    }
}
