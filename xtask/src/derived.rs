//! The source that the compiler has derived, as a person would write it.

use std::io::Write;
use std::process::{Command, Stdio};

/// How wide a line is.
const WIDTH: &str = "max_width=120,use_small_heuristics=Max";

/// Source on one line, as `rustfmt` writes it; a line for each function where there is none.
pub fn formatted(source: &str) -> String {
    by_rustfmt(source).unwrap_or_else(|| source.replace("} # [", "}\n# [").replace("} foldmap", "}\nfoldmap"))
}

fn by_rustfmt(source: &str) -> Option<String> {
    let arguments = ["--edition", "2024", "--emit", "stdout", "--config", WIDTH];
    let mut command = Command::new("rustfmt");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    let output = child.wait_with_output().ok().filter(|output| output.status.success())?;
    Some(apart(&String::from_utf8_lossy(&output.stdout)))
}

/// An empty line before each function and before the fold.
fn apart(source: &str) -> String {
    let begins = |line: &&str| line.starts_with("#[") || line.starts_with("foldmap!");
    let lines = source.lines().enumerate().map(|(number, line)| {
        let gap = if number > 0 && begins(&line) { "\n" } else { "" };
        format!("{gap}{line}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::{apart, formatted};

    #[test]
    fn functions_have_lines_of_their_own() {
        let source = "# [edge_fn] fn a () -> bool { true } # [vertex_fn] fn b () -> bool { true } foldmap! { step(Data) = [a, b] }";
        let text = formatted(source);
        assert_eq!(text.lines().filter(|line| line.contains("fn a") || line.contains("fn b")).count(), 2, "{text}");
        assert!(text.lines().any(|line| line.starts_with("foldmap! {")), "{text}");
        assert_eq!(apart("#[edge_fn]\nfn a() {}\n#[edge_fn]\nfn b() {}\n").matches("\n\n").count(), 1);
    }
}
