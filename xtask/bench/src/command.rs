//! The command of a case.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::case::Case;

/// What stands for the data's folder in arguments.
pub const DATA: &str = "{data}";
/// What stands for the folder of the binaries.
const BINARIES: &str = "{bin}";

/// Where programs and data are.
#[derive(Clone, Debug)]
pub struct Places {
    pub binaries: PathBuf,
    pub scripts: PathBuf,
    pub data: Option<PathBuf>,
    pub python: String,
}

impl Places {
    /// The program and its arguments.
    pub fn words(&self, case: &Case, is_smoke: bool) -> Vec<String> {
        let data = self.data.as_deref().map_or_else(|| "$ONYX_DATA".to_owned(), text);
        let fill = |word: &str| word.replace(DATA, &data).replace(BINARIES, &text(&self.binaries));
        let program = if case.is_script() {
            vec![self.python.clone(), text(&self.scripts.join(&case.program))]
        } else {
            vec![text(&self.binaries.join(&case.program))]
        };
        program.into_iter().chain(case.arguments(is_smoke).split_whitespace().map(fill)).collect()
    }

    /// The command, to be started.
    pub fn command(&self, case: &Case, is_smoke: bool) -> Command {
        let words = self.words(case, is_smoke);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// The command as a person would type it.
    pub fn line(&self, case: &Case, is_smoke: bool) -> String {
        self.words(case, is_smoke).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// The command as a remark of a CSV: without the folders of this machine.
pub fn remark(case: &Case) -> String {
    let arguments = case.arguments.replace(&format!("{BINARIES}/"), "").replace(&format!("{DATA}/"), "");
    format!("{} {}", case.program, arguments.replace(&format!(" --binary-folder {BINARIES}"), ""))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A word as a shell takes it, and `$ONYX_DATA` as what it stands for.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./,:=$+".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::{Places, remark};
    use crate::case::{Case, all};

    fn case(id: &str) -> Case {
        all().unwrap().into_iter().find(|case| case.id() == id).unwrap()
    }

    fn places(data: Option<&str>) -> Places {
        Places { binaries: "a b/bin".into(), scripts: "s".into(), data: data.map(Into::into), python: "python3".into() }
    }

    #[test]
    fn folders_are_filled_in() {
        let line = places(None).line(&case("scipy/crawl"), false);
        assert_eq!(
            line,
            "python3 s/scipy_spmm.py $ONYX_DATA/snap/cnr-2000.txt.gz --rounds 5 --repeat 15 --program 'a b/bin/bench_pull'"
        );
        let line = places(Some("/d")).line(&case("order/crawl"), true);
        assert!(line.starts_with("'a b/bin/bench_order' --graph /d/snap/facebook_combined.txt.gz"), "{line}");
    }

    #[test]
    fn remarks_name_no_folder() {
        assert_eq!(remark(&case("order/crawl")), "bench_order --graph snap/cnr-2000.txt.gz");
        assert_eq!(remark(&case("peers-cpu/pagerank")), "pagerank_scikit_network.py --backend cpu");
        for case in all().unwrap() {
            assert!(!remark(&case).contains('{'), "{}", remark(&case));
        }
    }
}
