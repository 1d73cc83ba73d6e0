//! Ratings are read as their files have them, and factors are those of an independent solver.

mod command;

use std::path::Path;

use command::{Folder, data, golden};
use flate2::{Compression, write::GzEncoder};
use onyx_examples::ratings::bipartite::Side;
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::read::{Form, read};
use onyx_examples::ratings::serial::Serial;
use onyx_examples::ratings::split::Split;
use onyx_examples::ratings::titles::Titles;
use onyx_examples::ratings::{Bipartite, Catalog, Factors, Feedback, Rating, Settings, SolveError, Table, metric};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// The ratings of a file's content, with the ids in place of numbers.
fn ratings(content: impl AsRef<[u8]>) -> Vec<(String, String, f32)> {
    let (folder, mut catalog) = (Folder::new(), Catalog::default());
    let (table, _) = read(Path::new(&folder.file("ratings", content)), &mut catalog).unwrap();
    let named = |rating: &Rating| {
        (catalog.users.name(rating.user).to_owned(), catalog.items.name(rating.item).to_owned(), rating.value)
    };
    table.ratings().iter().map(named).collect()
}

fn expected(ratings: &[(&str, &str, f32)]) -> Vec<(String, String, f32)> {
    ratings.iter().map(|(user, item, value)| ((*user).to_owned(), (*item).to_owned(), *value)).collect()
}

/// What is wrong with a file's content, after its path.
fn problem(content: impl AsRef<[u8]>) -> String {
    let (folder, mut catalog) = (Folder::new(), Catalog::default());
    let path = folder.file("ratings", content);
    let problem = read(Path::new(&path), &mut catalog).unwrap_err().to_string();
    problem.replace(&path, "FILE")
}

#[test]
fn every_form_of_columns_is_read() {
    let two = expected(&[("1", "31", 2.5), ("7", "31", -4.0)]);
    let forms = [
        "1,31,2.5\n7,31,-4\n",
        "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n7,31,-4.0,1260759179\n",
        "1::31::2.5::978300760\n7::31::-4::978302109",
        "1\t31\t2.5\t881250949\r\n7\t31\t-4\t891717742\r\n",
        "\u{feff}user;item;rating\n\n# a comment\n1; 31 ;2.5\n  7;31;-4\n",
        "\"1\",\"31\",\"2.5\"\n\"7\",31,-4e0\n",
    ];
    for form in forms {
        assert_eq!(ratings(form), two, "{form}");
    }
    assert_eq!(ratings("ann,\"Up, 2009\",5\n"), expected(&[("ann", "Up, 2009", 5.0)]));
}

#[test]
fn a_header_has_a_word_where_others_have_the_rating() {
    let one = expected(&[("ann", "matrix", 3.0)]);
    for header in
        ["userId1,item,rating", "u2,i2,stars5", "user,item,\"Rating\"", "Benutzer,Titel,Übereinstimmung", "1,2,x"]
    {
        assert_eq!(ratings(format!("{header}\nann,matrix,3\n")), one, "{header}");
    }
    for rating in ["nan", "inf", "-Infinity", "3..5", "-", ""] {
        let problem = problem(format!("ann,matrix,{rating}\nbob,matrix,3\n"));
        assert_eq!(problem, format!("FILE:1: the rating \"{rating}\" is not a finite number"));
    }
}

#[test]
fn a_comment_that_may_be_a_rating_is_none_unless_a_blank_says_so() {
    let one = expected(&[("a", "x", 5.0)]);
    for comment in ["# a,x,4", "#user,item,rating", "#", "#,", "#a,x", "# 1,2,3"] {
        assert_eq!(ratings(format!("{comment}\na,x,5\n{comment}\n")), one, "{comment}");
    }
    for hidden in ["#rust,a,3", "#1,2,3", "#rust,a,1e60"] {
        for text in [format!("a,x,5\n{hidden}\n"), format!("\n{hidden}\na,x,5\n")] {
            let (problem, said) = (problem(text), "a line that starts with # is a comment, and this one has a rating");
            assert!(problem.starts_with(&format!("FILE:2: {said}")), "{problem}");
        }
    }
    assert_eq!(ratings("\"#rust\",a,3\n"), expected(&[("#rust", "a", 3.0)]));
}

#[test]
fn semicolons_separate_whatever_commas_there_are() {
    let two = expected(&[("Doe, John", "x", 5.0), ("Roe, Jane", "up, up", 4.5)]);
    assert_eq!(ratings("Doe, John;x;5\nRoe, Jane;up, up;4.5\n"), two);
    // In quotes they separate nothing.
    assert_eq!(ratings("ann,\"this; that; more\",5\n"), expected(&[("ann", "this; that; more", 5.0)]));
}

#[test]
fn users_and_items_may_share_ids_and_compressed_files_are_read() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::Write::write_all(&mut encoder, b"0 0 1\n1 0 7\n2\n").unwrap();
    let found = ratings(encoder.finish().unwrap());
    assert_eq!(found, expected(&[("0", "0", 1.0), ("0", "1", 1.0), ("1", "0", 1.0), ("1", "7", 1.0)]));
}

#[test]
fn the_last_of_several_ratings_counts() {
    assert_eq!(ratings("a,x,1\na,y,2\na,x,3\n"), expected(&[("a", "x", 3.0), ("a", "y", 2.0)]));
    assert_eq!(ratings("a x y x\n").len(), 2);
}

#[test]
fn errors_name_the_file_and_the_line() {
    let missing = |separator| {
        format!(
            "2 of the columns user, item and rating, separated by {separator} as the first line has them: a line needs all three; commas, \
             semicolons, tabs and :: are possible"
        )
    };
    assert_eq!(problem("user,item,rating\n1,2,3\n\n4,5\n"), format!("FILE:4: {}", missing("commas")));
    assert_eq!(problem("1::2\n"), format!("FILE:1: {}", missing("::")));
    assert_eq!(problem("1,2,3\n1,3,good\n"), "FILE:2: the rating \"good\" is not a finite number");
    assert_eq!(problem("1,2,inf\n"), "FILE:1: the rating \"inf\" is not a finite number");
    assert_eq!(
        problem("1,2,-1e-50\n"),
        "FILE:1: the rating \"-1e-50\" is nearer to 0 than any 32-bit float: multiply all ratings by the same number"
    );
    assert_eq!(problem("1,,3\n"), "FILE:1: the item has no id");
    assert_eq!(problem(",2,3\n"), "FILE:1: the user has no id");
    assert_eq!(problem("1\t2\t3\t881250949\n\t2\t3\t891717742\r\n"), "FILE:2: the user has no id");
    for nothing in ["", "\n\n", "# nothing\n", "user,item,rating\n"] {
        assert_eq!(problem(nothing), "FILE holds no rating", "{nothing:?}");
    }
    for joined in ["1\n2\n", "# nothing\na|x|1\nb|y|2\n"] {
        let problem = problem(joined);
        assert!(problem.starts_with("FILE holds no rating: nothing stands between columns; user, item"), "{problem}");
    }
    assert_eq!(problem("a;x\n"), format!("FILE:1: {}", missing("semicolons")));
    assert_eq!(problem("a,x,1\nb;y;2\n"), format!("FILE:2: {}", missing("commas")).replace("2 of", "1 of"));
    assert_eq!(problem("a;x;1,5\n"), "FILE:1: the rating \"1,5\" has a comma: write a point in its place");
    assert!(problem(b"PK\x03\x04\x14\0").starts_with("FILE is a zip archive: unpack it first"));
    assert_eq!(problem(b"1,2,3\n1\xff,2,3\n"), "FILE:2: the id of the user is not in UTF-8");
    assert_eq!(problem(b"1 \xff\n"), "FILE:1: the id of the item is not in UTF-8");
    assert_eq!(problem(b"\xff\xfe1\0,\0"), "FILE is in UTF-16: save it in UTF-8");
    assert_eq!(problem("1,2,\u{1b}[31m3\n"), "FILE:1: the rating \"\\x1b[31m3\" is not a finite number");
    assert!(problem([0x1f, 0x8b, 8, 0]).starts_with("cannot decompress FILE: the gzip data is truncated or corrupt"));
    let error = read(Path::new("/nowhere/ratings.csv"), &mut Catalog::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read /nowhere/ratings.csv: "), "{error}");
}

#[test]
fn titles_may_be_quoted() {
    let folder = Folder::new();
    let titles = |content: &str| Titles::read(Path::new(&folder.file("titles", content)));
    let csv = titles("movieId,title,genres\n11,\"American President, The (1995)\",Comedy\n12,\"\"\"Hi\"\"\",Drama\n")
        .unwrap();
    assert_eq!(csv.title("11"), Some("American President, The (1995)"));
    assert_eq!((csv.title("12"), csv.title("13")), (Some("\"Hi\""), None));
    assert_eq!(titles("1::Toy Story (1995)::Animation\n").unwrap().title("1"), Some("Toy Story (1995)"));
    assert_eq!(titles("1;Up, again\n").unwrap().title("1"), Some("Up, again"));
    assert_eq!(titles("1,Up; again\n").unwrap().title("1"), Some("Up; again"));
    assert_eq!(titles("1\tUp\n2\t\r\n").unwrap().title("2"), Some(""));
    let error = titles("1,A\n2\n").unwrap_err().to_string();
    assert!(error.ends_with(":2: an item without a title: a line needs the item and its title"), "{error}");
    assert!(titles("").unwrap_err().to_string().ends_with("holds no title"));
}

/// The golden ratings, and the graph of them.
fn golden_input(golden: &Value, name: &str) -> Bipartite {
    let number = |value: &Value| value.as_f64().unwrap();
    let rating = |triple: &Value| Rating {
        user: number(&triple[0]) as u32,
        item: number(&triple[1]) as u32,
        value: number(&triple[2]) as f32,
    };
    let table = Table::new(golden[name].as_array().unwrap().iter().map(rating).collect()).unwrap();
    let [users, items] = ["users", "items"].map(|side| golden["start"][side].as_array().unwrap().len());
    Bipartite::new(&table, users, items).unwrap()
}

fn rows(value: &Value) -> Vec<f64> {
    let rows = ["users", "items"].map(|side| value[side].as_array().unwrap());
    rows.into_iter().flatten().flat_map(|row| row.as_array().unwrap()).map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn factors_and_objectives_are_those_of_scipy() {
    ["als_small.json", "als_wide.json"].into_iter().for_each(are_those_of_scipy);
}

fn are_those_of_scipy(file: &str) {
    let golden = golden(file);
    let features = golden["features"].as_u64().unwrap() as usize;
    for run in golden["runs"].as_array().unwrap() {
        let feedback = match run["alpha"].as_f64() {
            Some(alpha) => Feedback::Implicit { alpha: alpha as f32 },
            None => Feedback::Explicit,
        };
        let bipartite = golden_input(&golden, if feedback == Feedback::Explicit { "ratings" } else { "clicks" });
        let (lambda, weighted) = (run["lambda"].as_f64().unwrap() as f32, run["weighted"].as_bool().unwrap());
        let settings = Settings { features, lambda, weighted, feedback, ..Settings::default() };
        let factors = Factors { values: rows(&golden["start"]), features };
        let mut serial = Serial::new(&bipartite, settings, factors);
        for (half, objective) in run["objectives"].as_array().unwrap().iter().enumerate() {
            serial.half_sweep([Side::Users, Side::Items][half % 2]).unwrap();
            let (found, expected) =
                (metric::objective(&bipartite, &settings, &serial.factors), objective.as_f64().unwrap());
            assert!((found / expected - 1.0).abs() < 1e-9, "{}: {found} and {expected}", run["name"]);
        }
        for (found, expected) in serial.factors.values.iter().zip(rows(run)) {
            assert!(
                (found - expected).abs() < 1e-8 * expected.abs().max(1.0),
                "{}: {found} and {expected}",
                run["name"]
            );
        }
    }
}

#[test]
fn planted_factors_are_recovered() {
    let (table, catalog) = Plan { noise: 0.02, ..Plan::default() }.draw(Feedback::Explicit).unwrap();
    let Split { train, test } = Split::by_rating(&table, 0.2, 1).unwrap();
    assert_eq!(train.len() + test.len(), table.len());
    let bipartite = Bipartite::new(&train, catalog.users.len(), catalog.items.len()).unwrap();
    let settings = Settings { features: 4, lambda: 0.01, weighted: false, ..Settings::default() };
    let mut serial = Serial::new(&bipartite, settings, Factors::initial(&bipartite, 4, 0));
    (0..40).for_each(|_| serial.sweep().unwrap());
    let errors = metric::errors(&bipartite, &serial.factors, train.mean(), &test).unwrap();
    // The noise is spread evenly up to 0.02, which is 0.0115 in the root of the mean square.
    assert!(errors.root_mean_square < 0.02 && errors.mean_absolute < errors.root_mean_square, "{errors:?}");
}

#[test]
fn planted_tastes_are_recommended() {
    let feedback = Feedback::Implicit { alpha: 10.0 };
    let (table, catalog) = Plan::default().draw(feedback).unwrap();
    let Split { train, test } = Split::by_user(&table, 0.25, 1).unwrap();
    assert!(train.by_user().count() == catalog.users.len());
    let bipartite = Bipartite::new(&train, catalog.users.len(), catalog.items.len()).unwrap();
    let settings = Settings { features: 4, lambda: 1.0, weighted: false, feedback, ..Settings::default() };
    let mut serial = Serial::new(&bipartite, settings, Factors::initial(&bipartite, 4, 0));
    let recall = |factors: &Factors| metric::recall(&bipartite, factors, &train, &test, 10).unwrap();
    let before = recall(&serial.factors);
    (0..10).for_each(|_| serial.sweep().unwrap());
    let after = recall(&serial.factors);
    assert!(before < 0.4 && after > 0.7, "{before} before, {after} after");
}

#[test]
fn recall_is_of_each_users_test_items() {
    let rating = |user, item| Rating { user, item, value: 1.0 };
    let train = Table::new(vec![rating(0, 0), rating(1, 1), rating(2, 2)]).unwrap();
    let test = Table::new(vec![rating(0, 1), rating(0, 3), rating(1, 3)]).unwrap();
    let bipartite = Bipartite::new(&train, 3, 4).unwrap();
    // Every user likes item 0 best, then 1, 2, 3.
    let factors = Factors { values: vec![1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.6], features: 1 };
    // Of user 0, items 1 and 2 are recommended, which is a half of what is wanted; of user 1, items 0 and 2, which is nothing.
    assert_eq!(metric::recall(&bipartite, &factors, &train, &test, 2), Some(0.25));
    assert_eq!(metric::recall(&bipartite, &factors, &train, &test, 3), Some(1.0));
    assert_eq!(metric::recall(&bipartite, &factors, &train, &Table::default(), 2), None);
}

#[test]
fn what_nothing_is_known_of_has_the_mean_rating() {
    let rating = |user, item, value| Rating { user, item, value };
    let train = Table::new(vec![rating(0, 0, 2.0), rating(1, 0, 4.0)]).unwrap();
    let bipartite = Bipartite::new(&train, 3, 2).unwrap();
    let factors = Factors { values: vec![1.0, 2.0, 0.0, 2.0, 0.0], features: 1 };
    let test = Table::new(vec![rating(0, 0, 3.0), rating(2, 0, 5.0), rating(1, 1, 3.0)]).unwrap();
    let errors = metric::errors(&bipartite, &factors, train.mean(), &test).unwrap();
    assert_eq!((errors.mean_absolute, errors.root_mean_square), (1.0, (5.0_f64 / 3.0).sqrt()));
    assert_eq!(metric::errors(&bipartite, &factors, train.mean(), &Table::default()), None);
}

#[test]
fn too_few_ratings_need_a_lambda() {
    let (table, catalog) = Plan { users: 9, items: 6, ..Plan::default() }.draw(Feedback::Explicit).unwrap();
    let bipartite = Bipartite::new(&table, 9, 6).unwrap();
    let settings = Settings { features: 6, lambda: 0.0, ..Settings::default() };
    let error = settings.check(&bipartite, &catalog).unwrap_err();
    assert!(error.to_string().contains("singular with a lambda of 0: give a lambda above 0"), "{error}");
    let mut serial = Serial::new(&bipartite, settings, Factors::initial(&bipartite, 6, 0));
    assert!(matches!(serial.sweep(), Err(SolveError::Singular { .. })));
    assert_eq!(Settings { lambda: 0.1, ..settings }.check(&bipartite, &catalog), Ok(()));
    let implicit = Settings { feedback: Feedback::Implicit { alpha: 1.0 }, ..settings };
    let error = implicit.check(&bipartite, &catalog).unwrap_err();
    assert!(error.to_string().ends_with("implicit feedback needs values of 0 and more"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_half_sweep_raises_the_objective(
        triples in vec((0..12_u32, 0..9_u32, 0.0..5.0_f32), 1..80), features in 1..7_usize, weighted: bool, implicit: bool, seed: u64,
    ) {
        let table = Table::new(triples.into_iter().map(|(user, item, value)| Rating { user, item, value }).collect()).unwrap();
        let bipartite = Bipartite::new(&table, 12, 9).unwrap();
        let feedback = if implicit { Feedback::Implicit { alpha: 3.0 } } else { Feedback::Explicit };
        let settings = Settings { features, lambda: 0.1, weighted, feedback, seed, ..Settings::default() };
        let mut serial = Serial::new(&bipartite, settings, Factors::initial(&bipartite, features, seed));
        // The zeros of those without ratings are optimal from the start.
        let mut last = metric::objective(&bipartite, &settings, &serial.factors);
        for half in 0..8 {
            serial.half_sweep([Side::Users, Side::Items][half % 2]).unwrap();
            let next = metric::objective(&bipartite, &settings, &serial.factors);
            prop_assert!(next <= last * (1.0 + 1e-12), "{last} rises to {next}");
            last = next;
        }
    }

    #[test]
    fn splits_keep_every_rating(triples in vec((0..8_u32, 0..8_u32), 1..60), share in 0.05..0.95, seed: u64) {
        let table = Table::new(triples.into_iter().map(|(user, item)| Rating { user, item, value: 1.0 }).collect()).unwrap();
        for split in [Split::by_rating(&table, share, seed).unwrap(), Split::by_user(&table, share, seed).unwrap()] {
            let together = Table::new([split.train.ratings(), split.test.ratings()].concat()).unwrap();
            prop_assert_eq!(&together, &table);
            prop_assert_eq!(split.train.len() + split.test.len(), table.len());
        }
        let split = Split::by_user(&table, share, seed).unwrap();
        prop_assert_eq!(split.train.by_user().count(), table.by_user().count());
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_ratings_are_read() {
    let mut catalog = Catalog::default();
    let (jester, form) = read(&data("ratings/jester5k.csv.gz"), &mut catalog).unwrap();
    assert!(matches!(form, Form::Columns(_)));
    assert_eq!((catalog.users.len(), catalog.items.len(), jester.len()), (5000, 100, 363_209));
    let mut catalog = Catalog::default();
    let (train, form) = read(&data("ratings/gowalla.train.txt.gz"), &mut catalog).unwrap();
    let (test, _) = read(&data("ratings/gowalla.test.txt.gz"), &mut catalog).unwrap();
    assert_eq!((form, train.len(), test.len()), (Form::Lists, 810_128, 217_242));
    assert_eq!((catalog.users.len(), catalog.items.len()), (29_858, 40_981));
}
