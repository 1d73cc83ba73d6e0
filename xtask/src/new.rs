//! `new`: writes a crate outside of this checkout, with one algorithm to begin with.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};
use crate::{metadata, name};

/// Each file of a new crate, and its template.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../templates/new/Cargo.toml.template")),
    (".cargo/config.toml", include_str!("../templates/new/config.toml.template")),
    (".gitignore", include_str!("../templates/new/gitignore.template")),
    ("README.md", include_str!("../templates/new/README.md.template")),
    ("src/lib.rs", include_str!("../templates/new/lib.rs.template")),
    ("src/main.rs", include_str!("../templates/new/main.rs.template")),
    ("tests/spread.rs", include_str!("../templates/new/test.rs.template")),
];

/// Write a new crate that uses Onyx
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to make
    path: PathBuf,
    /// The crate's name; the folder's by default
    #[arg(long)]
    name: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = absolute(&arguments.path)?;
    let name = crate_name(arguments, &folder);
    name::check(&name)?;
    refuse_taken(&folder)?;
    refuse_inside(&folder)?;
    for (file, template) in FILES {
        write(&folder.join(file), &fill(template, &name)?)?;
    }
    println!("wrote {name}; next:\n  cd {}\n  cargo run", arguments.path.display());
    Ok(())
}

fn crate_name(arguments: &Arguments, folder: &Path) -> String {
    let last = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    arguments.name.clone().or(last).unwrap_or_default()
}

/// The path from the root, with symbolic links and `..` resolved as far as it exists.
fn absolute(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).map_err(Error::file("resolve", path))?;
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            other => resolved.push(other),
        }
        resolved = resolved.canonicalize().unwrap_or(resolved);
    }
    Ok(resolved)
}

fn refuse_taken(folder: &Path) -> Result<()> {
    let is_free = match folder.try_exists() {
        Ok(false) => true,
        _ => fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()),
    };
    if is_free { Ok(()) } else { Err(Error::PathTaken { path: folder.to_path_buf() }) }
}

/// Inside the checkout, cargo would take this workspace for the new crate's.
fn refuse_inside(folder: &Path) -> Result<()> {
    let checkout = metadata::checkout();
    let root = checkout.canonicalize().map_err(Error::file("resolve", &checkout))?;
    if folder.starts_with(&root) {
        return Err(Error::InsideCheckout { path: folder.to_path_buf(), checkout: root });
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    fs::write(path, text).map_err(Error::file("write", path))
}

/// Puts the names and paths into a template.
fn fill(template: &str, name: &str) -> Result<String> {
    let checkout = metadata::checkout();
    Ok(template
        .replace("{{name}}", name)
        .replace("{{library}}", &name.replace('-', "_"))
        .replace("{{onyx_device}}", &quoted(&checkout.join("onyx-device"))?)
        .replace("{{onyx_runtime}}", &quoted(&checkout.join("onyx-runtime"))?)
        .replace("{{onyx_manifest}}", &quoted(&checkout.join("Cargo.toml"))?))
}

/// A path as a TOML string; JSON's escapes are TOML's too.
fn quoted(path: &Path) -> Result<String> {
    serde_json::to_string(path).map_err(|source| Error::Encode { what: "a path", source: source.into() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{FILES, fill, quoted};

    #[test]
    fn templates_are_filled_completely() {
        for (file, template) in FILES {
            let text = fill(template, "my-ranks").unwrap();
            for placeholder in ["{{name", "{{library", "{{onyx"] {
                assert!(!text.contains(placeholder), "{file}: {text}");
            }
        }
    }

    #[test]
    fn paths_are_escaped() {
        assert_eq!(quoted(Path::new("/a \"b\"\\c")).unwrap(), r#""/a \"b\"\\c""#);
    }
}
