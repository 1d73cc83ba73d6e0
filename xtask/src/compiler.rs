//! What the compiler says about a crate for the GPU, and what to do about it.

use std::collections::BTreeSet;
use std::io::{BufReader, IsTerminal, stderr};
use std::path::Path;
use std::process::{Command, Stdio};

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticSpan};

use crate::error::{Error, Result, indented};
use crate::process;
use crate::source::{self, Missing};

/// How cargo is asked for messages that this can read.
pub fn message_format() -> &'static str {
    if stderr().is_terminal() { "json-diagnostic-rendered-ansi" } else { "json" }
}

/// Runs a cargo command that was told the [`message_format`], in a folder, and shows what the compiler says.
pub fn run(command: &mut Command, folder: &Path) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(process::start_error(command))?;
    let mut advice = BTreeSet::new();
    for message in child.stdout.take().into_iter().flat_map(|output| Message::parse_stream(BufReader::new(output))) {
        match message {
            Ok(Message::CompilerMessage(found)) => {
                eprint!("{}", found.message.rendered.as_deref().unwrap_or_default());
                advice.extend(advise(&found.message, folder));
            }
            Ok(Message::TextLine(line)) => println!("{line}"),
            _ => {}
        }
    }
    let status = child.wait().map_err(process::start_error(command))?;
    if !status.success() && !advice.is_empty() {
        return Err(Error::NotForDevice { advice: indented(advice) });
    }
    process::checked(command, status, String::new())
}

/// What to do about an error that comes of the standard library's absence.
fn advise(diagnostic: &Diagnostic, folder: &Path) -> Option<String> {
    let code = diagnostic.code.as_ref()?;
    let span = diagnostic.spans.iter().find(|span| span.is_primary)?;
    let names = quoted(&diagnostic.message);
    match (&*code.code, names.as_slice()) {
        ("E0599", [method, kind, ..]) if ["f32", "f64", "{float}"].contains(&&**kind) => {
            let (file, function) = place(span, folder);
            let missing = Missing { file, line: span.line_start, function, method: method.clone() };
            Some(format!("{missing}: {}", missing.fix()))
        }
        ("E0433" | "E0432", names) if names.iter().any(|name| name == "std" || name.starts_with("std::")) => {
            let (file, function) = place(span, folder);
            let (file, line) = (file.display(), span.line_start);
            Some(format!(
                "{file}:{line}: `{function}` uses `std`, which a GPU has not: mark it with #[host], or use `core`"
            ))
        }
        _ => None,
    }
}

/// The file of a span, and the function in it.
fn place(span: &DiagnosticSpan, folder: &Path) -> (std::path::PathBuf, String) {
    let file = Path::new(&span.file_name);
    // Cargo runs the compiler in the workspace's folder, which is one above the crate's or the same.
    let whole = folder.ancestors().map(|folder| folder.join(file)).find(|whole| whole.is_file());
    let function = whole.and_then(|whole| source::function_at(&whole, span.line_start));
    (file.to_path_buf(), function.unwrap_or_else(|| "the crate".to_string()))
}

/// What stands in backquotes in a message.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use cargo_metadata::diagnostic::Diagnostic;
    use tempfile::TempDir;

    use super::advise;

    fn advice(code: &str, message: &str) -> Option<String> {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "\nfn weigh(x: f32) -> f32 {\n    x.sin()\n}\n").unwrap();
        let text = serde_json::json!({
            "message": message,
            "code": { "code": code, "explanation": null },
            "level": "error",
            "spans": [{
                "file_name": "src/lib.rs", "byte_start": 0, "byte_end": 1, "line_start": 3, "line_end": 3, "column_start": 7,
                "column_end": 10, "is_primary": true, "text": [], "label": null, "suggested_replacement": null,
                "suggestion_applicability": null, "expansion": null
            }],
            "children": [],
            "rendered": null
        });
        let diagnostic: Diagnostic = serde_json::from_value(text).unwrap();
        advise(&diagnostic, folder.path())
    }

    #[test]
    fn a_method_of_the_standard_library_is_named_with_its_function_and_the_fix() {
        let found = advice("E0599", "no method named `sin` found for type `f32` in the current scope").unwrap();
        assert!(found.starts_with("src/lib.rs:3: `weigh` calls `sin`"), "{found}");
        assert!(found.contains("onyx_device::math::sin(..)"), "{found}");
        let found = advice("E0599", "no method named `hypot` found for type `{float}` in the current scope").unwrap();
        assert!(found.contains("a GPU has no hypot"), "{found}");
    }

    #[test]
    fn the_standard_library_is_named_with_the_function() {
        let found = advice("E0433", "failed to resolve: use of unresolved module or unlinked crate `std`").unwrap();
        assert!(found.contains("`weigh` uses `std`") && found.contains("#[host]"), "{found}");
    }

    #[test]
    fn other_errors_speak_for_themselves() {
        assert_eq!(advice("E0599", "no method named `sin` found for struct `Own` in the current scope"), None);
        assert_eq!(advice("E0308", "mismatched types"), None);
    }
}
