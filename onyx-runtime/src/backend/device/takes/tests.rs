//! What comes of scripts that come again, and of those that do not.

use super::*;
use crate::backend::device::Entered;
use crate::backend::device::diary::{Diary, KnownLine, Line};

/// Acts with their keys.
type Asked<'a> = &'a [(u64, &'static str)];

/// A recording, and what its memory has been asked for.
#[derive(Default)]
struct Bench {
    takes: Takes<Diary>,
    diary: Diary,
}

impl Bench {
    /// What becomes of a script.
    fn run(&mut self, asked: Asked<'_>) -> String {
        let mut script = self.takes.script();
        asked.iter().for_each(|(key, line)| script.add(|| vec![*key], Line(line)));
        self.takes.finish(script, &self.diary).unwrap();
        self.diary.take()
    }
}

#[test]
fn what_comes_again_is_recorded_and_then_replayed() {
    let mut bench = Bench::default();
    let asked: Asked<'_> = &[(1, "a"), (2, "b"), (1, "a")];
    assert_eq!(bench.run(asked), "a b a");
    assert_eq!(bench.run(asked), "record a b a replay");
    assert_eq!((bench.run(asked), bench.run(asked)), ("replay".to_owned(), "replay".to_owned()));
    assert_eq!(bench.takes.recorded(), 1);
}

#[test]
fn what_was_recorded_is_known_by_its_number() {
    let (mut takes, diary) = (Takes::default(), Diary::default());
    let mut run = |line: &'static str| {
        let mut script = takes.script();
        script.add(|| vec![line.len() as u64], Line(line));
        let number = takes.finish(script, &diary).unwrap();
        (number, takes.recording(number).is_some())
    };
    assert_eq!(
        [run("a"), run("bc"), run("a"), run("bc"), run("a")],
        [(0, false), (1, false), (0, true), (1, true), (0, true)]
    );
    assert!(takes.recording(2).is_none());
}

#[test]
fn what_begins_alike_and_ends_otherwise_is_another_one() {
    let mut bench = Bench::default();
    let all: [Asked<'_>; 4] =
        [&[(1, "a"), (2, "b")], &[(1, "a"), (3, "c")], &[(1, "a")], &[(1, "a"), (2, "b"), (4, "d")]];
    for asked in all {
        let lines: Vec<&str> = asked.iter().map(|(_, line)| *line).collect();
        assert_eq!(bench.run(asked), lines.join(" "));
    }
    for asked in all {
        let lines: Vec<&str> = asked.iter().map(|(_, line)| *line).collect();
        assert_eq!(bench.run(asked), format!("record {} replay", lines.join(" ")));
    }
    assert!(all.iter().rev().all(|asked| bench.run(asked) == "replay"));
}

#[test]
fn no_more_are_kept_than_there_is_room_for() {
    let mut bench = Bench::default();
    for key in 0..100 {
        assert_eq!(bench.run(&[(key, "a")]), "a");
        assert!(bench.takes.all.len() <= MOST_TAKES);
    }
}

#[test]
fn what_cannot_be_recorded_is_done_as_it_is() {
    let mut bench = Bench { diary: Diary::new(true), ..Bench::default() };
    let asked: Asked<'_> = &[(1, "a"), (2, "b")];
    assert_eq!(bench.run(asked), "a b");
    for _ in 0..MOST_ATTEMPTS {
        assert_eq!(bench.run(asked), "record a b a b");
    }
    assert_eq!(bench.run(asked), "a b", "not tried for ever");
    assert_eq!((bench.run(&[]), bench.run(&[])), (String::new(), String::new()));
}

#[test]
fn what_shares_nothing_is_noted_side_by_side() {
    let (mut takes, diary) = (Takes::default(), Diary::default());
    let writing = |at: u64| Effects::default().writing(at..at + 1);
    let run = |takes: &mut Takes<Diary>| {
        let mut script = takes.script();
        let acts = [("loss", writing(1)), ("left", writing(2).reading(1..2)), ("right", writing(3).reading(1..2))];
        for (number, (line, effects)) in (0..).zip(acts) {
            script.add(|| vec![number], KnownLine(line, effects));
        }
        takes.finish(script, &diary).unwrap();
        diary.take()
    };
    assert_eq!(run(&mut takes), "loss left right");
    // Both come after the loss, and what comes after the recording after both of them.
    assert_eq!(run(&mut takes), "record loss left after loss : right after left right : replay");
    assert_eq!(run(&mut takes), "replay");
}

#[test]
fn addresses_that_are_used_are_known() {
    let bench = Bench::default();
    let mut script = bench.takes.script();
    assert!(!script.may_reach(&(0..u64::MAX)));
    script.add(|| vec![7, 100], Line("a"));
    assert!(script.enter(vec![200]) == Entered::New && script.is_inside());
    for (range, is_used) in [(90..110, true), (100..101, true), (101..150, false), (150..300, true), (201..900, false)]
    {
        assert_eq!(script.may_reach(&range), is_used, "{range:?}");
    }
}
