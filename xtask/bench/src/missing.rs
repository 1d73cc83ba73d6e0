//! What a case needs and this machine does not have.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::process;

use crate::case::{Case, Processor};
use crate::command::DATA;

/// Says which of some modules Python does not find.
const FIND: &str =
    "import sys\nfrom importlib.util import find_spec\nprint(*[name for name in sys.argv[1:] if not find_spec(name)])";

/// Why a case cannot run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    Gpu(String),
    DataFolder,
    Data(PathBuf),
    Python(String),
    Modules(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(reason) => write!(to, "needs a GPU, and {reason}"),
            Self::DataFolder => write!(to, "needs data: point ONYX_DATA at their folder"),
            Self::Data(path) => write!(to, "needs {}, which is not there", path.display()),
            Self::Python(reason) => write!(to, "needs Python: {reason}"),
            Self::Modules(names) => write!(to, "needs Python's {names}"),
        }
    }
}

/// What a machine has for cases.
#[derive(Clone, Debug)]
pub struct Given<'g> {
    pub gpu: &'g Result<String, String>,
    pub data: Option<&'g Path>,
    pub python: &'g str,
}

impl Given<'_> {
    /// The first thing that the case needs and that is not there.
    pub fn lacks(&self, case: &Case, is_smoke: bool) -> Option<Missing> {
        self.gpu_for(case).or_else(|| self.data_for(case.arguments(is_smoke))).or_else(|| self.modules_for(case))
    }

    fn gpu_for(&self, case: &Case) -> Option<Missing> {
        let reason = self.gpu.as_ref().err().filter(|_| case.on == Processor::Gpu);
        reason.map(|reason| Missing::Gpu(reason.clone()))
    }

    fn data_for(&self, arguments: &str) -> Option<Missing> {
        let mut files = arguments.split_whitespace().filter_map(|word| word.strip_prefix(DATA)).peekable();
        files.peek()?;
        let Some(folder) = self.data else { return Some(Missing::DataFolder) };
        let paths = files.map(|file| folder.join(file.trim_start_matches('/')));
        paths.into_iter().find(|path| !path.exists()).map(Missing::Data)
    }

    fn modules_for(&self, case: &Case) -> Option<Missing> {
        if !case.is_script() {
            return None;
        }
        match process::output(Command::new(self.python).args(["-c", FIND]).args(&case.modules)) {
            Err(error) => Some(Missing::Python(error.to_string())),
            Ok(names) if names.trim().is_empty() => None,
            Ok(names) => Some(Missing::Modules(names.split_whitespace().collect::<Vec<_>>().join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Given, Missing};
    use crate::case::{Case, Processor, all};

    fn case(id: &str) -> Case {
        all().unwrap().into_iter().find(|case| case.id() == id).unwrap()
    }

    #[test]
    fn what_is_missing_is_named() {
        let (gpu, folder) = (Err("there is none".to_owned()), tempfile::tempdir().unwrap());
        let without = Given { gpu: &gpu, data: None, python: "no such python" };
        assert_eq!(without.lacks(&case("pull/gpu-rmat"), false), Some(Missing::Gpu("there is none".to_owned())));
        assert_eq!(without.lacks(&case("order/crawl"), false), Some(Missing::DataFolder));
        assert_eq!(without.lacks(&case("order/generated"), false), None);
        assert!(matches!(without.lacks(&case("peers-cpu/pagerank"), false), Some(Missing::Python(_))));
        let with = Given { data: Some(folder.path()), ..without };
        let file = folder.path().join("snap/cnr-2000.txt.gz");
        assert_eq!(with.lacks(&case("order/crawl"), false), Some(Missing::Data(file.clone())));
        fs::create_dir(folder.path().join("snap")).unwrap();
        fs::write(file, "").unwrap();
        assert_eq!(with.lacks(&case("order/crawl"), false), None);
        assert!(with.lacks(&case("order/crawl"), true).is_some(), "the smoke run reads another file");
    }

    #[test]
    fn modules_that_python_does_not_find_are_named() {
        let gpu = Ok(String::new());
        let given = Given { gpu: &gpu, data: None, python: "python3" };
        let of = |modules: &[&str]| Case {
            on: Processor::Cpu,
            modules: modules.iter().map(ToString::to_string).collect(),
            ..case("peers-cpu/pagerank")
        };
        if given.lacks(&of(&[]), true).is_none() {
            assert_eq!(given.lacks(&of(&["json"]), true), None);
            let missing = given.lacks(&of(&["json", "no_such_module"]), true).unwrap().to_string();
            assert_eq!(missing, "needs Python's no_such_module");
        }
    }
}
