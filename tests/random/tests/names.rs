//! Names of programs are read as they are printed.

use onyx_random::name::{Name, Style};

#[test]
fn names_are_read_as_they_are_printed() {
    for text in ["plain:0", "history:12", "width:3:7", "near:3:7.0.12", "integers:5", "gathers:7:1"] {
        assert_eq!(text.parse::<Name>().map(|name| name.to_string()).as_deref(), Ok(text));
    }
    assert_eq!(Name::new(Style::Plain, 7).cut(3).cut(0).identifier(), "plain_7_3_0");
}

#[test]
fn lists_have_ranges_lines_and_remarks() {
    let names = Name::list("plain:3..5, near:1 # two kinds\n\nhistory:2:0.1\n").expect("a list");
    let names: Vec<String> = names.iter().map(Name::to_string).collect();
    assert_eq!(names, ["plain:3", "plain:4", "near:1", "history:2:0.1"]);
}

#[test]
fn what_is_no_name_is_refused() {
    for text in ["", "plain", "plain:", "plane:3", "plain:x", "plain:3:x", "plain:3..x"] {
        assert!(text.parse::<Name>().is_err(), "{text}");
    }
    assert!(Name::list("plain:3..x").is_err());
}
