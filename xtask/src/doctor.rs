//! `doctor`: what is there, what is missing, and the one command that gets it.

use std::path::Path;
use std::process::Command;

use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::artifacts;
use crate::console::say;
use crate::error::{Error, Result};
use crate::gpu::{self, Driver};
use crate::metadata::{self, Selection};
use crate::source::{self, Missing};
use crate::{cublas, install, process, ptxas, toolchain};

const UPDATE_RUST: &str = "rustup update stable";
const BUILD_PTX: &str = "cargo xtask build-ptx";
const INSTALL_DRIVER: &str = "sudo apt-get install -y nvidia-driver";

/// Show what is there and what is missing
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Install what can be installed without asking; cuBLAS, of some 600 MB, only where there is a GPU
    #[arg(long)]
    install: bool,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: &'static str,
    road: Road,
    /// What was found, or else what is wrong and the command that mends it.
    state: std::result::Result<String, (String, String)>,
}

/// What a part is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Road {
    Cpu,
    Gpu,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.install {
        install_compilers()?;
        install_cublas()?;
    }
    let parts = [cargo(), rustc(), device_toolchain(), assembler(), driver(), products(), functions(), kernels()];
    say(table(&parts));
    let is_complete = parts.iter().all(|part| part.road == Road::Gpu || part.state.is_ok());
    if is_complete { Ok(()) } else { Err(Error::Incomplete) }
}

/// Installs the device toolchain and the assembler where they are missing.
pub fn install_compilers() -> Result<()> {
    if toolchain::find().is_err() {
        install::device_toolchain()?;
    }
    if ptxas::find().is_err() {
        install::ptxas()?;
    }
    Ok(())
}

/// Installs cuBLAS, which is large, where it is missing and there is a GPU to use it.
fn install_cublas() -> Result<()> {
    let has_gpu = matches!(gpu::probe(), Driver::Present(gpus) if !gpus.is_empty());
    if has_gpu && cublas::find().is_none() { install::cublas() } else { Ok(()) }
}

fn table(parts: &[Part]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["part", "state", "found", "get it with"]);
    for part in parts {
        let (state, found, fix) = match &part.state {
            Ok(found) => ("ok", found.as_str(), ""),
            Err((found, fix)) => (missing(part.road), found.as_str(), fix.as_str()),
        };
        table.add_row([part.name, state, found, fix]);
    }
    table
}

fn missing(road: Road) -> &'static str {
    match road {
        Road::Cpu => "MISSING",
        Road::Gpu => "missing (optional)",
    }
}

fn cargo() -> Part {
    let version = process::output(Command::new(process::cargo_path()).arg("--version"));
    let state =
        version.map(|text| text.trim().to_string()).map_err(|error| (error.to_string(), UPDATE_RUST.to_string()));
    Part { name: "cargo", road: Road::Cpu, state }
}

fn rustc() -> Part {
    let needed = env!("CARGO_PKG_RUST_VERSION");
    let state = match toolchain::compiler_version(Path::new("rustc")) {
        Ok(version) if toolchain::is_new_enough(&version) => Ok(format!("{version} (at least {needed} is needed)")),
        Ok(version) => Err((format!("{version}, at least {needed} is needed"), UPDATE_RUST.to_string())),
        Err(reason) => Err((reason, UPDATE_RUST.to_string())),
    };
    Part { name: "rustc", road: Road::Cpu, state }
}

fn device_toolchain() -> Part {
    let state = match toolchain::find() {
        Ok(toolchain) => Ok(format!("{} {}", toolchain.rustc.display(), toolchain.version)),
        Err(Error::NoDeviceToolchain { reasons }) => {
            Err((reasons.trim().to_string(), install::device_toolchain_command()))
        }
        Err(error) => Err((error.to_string(), install::device_toolchain_command())),
    };
    Part { name: "device toolchain", road: Road::Gpu, state }
}

fn assembler() -> Part {
    let state = match ptxas::find() {
        Ok(path) => Ok(format!("{} {}", path.display(), ptxas::release(&path).unwrap_or_default())),
        Err(_) => Err(("none in CUDA_HOME, PATH or target/onyx".to_string(), install::wheel_command())),
    };
    Part { name: "ptxas", road: Road::Gpu, state }
}

fn driver() -> Part {
    let fix = INSTALL_DRIVER.to_string();
    let state = match gpu::probe() {
        Driver::Missing => Err(("no NVIDIA driver".to_string(), fix)),
        Driver::Broken(reason) => Err((reason, fix)),
        Driver::Present(gpus) => supported(&gpus),
    };
    Part { name: "NVIDIA GPU", road: Road::Gpu, state }
}

fn supported(gpus: &[gpu::Gpu]) -> std::result::Result<String, (String, String)> {
    let names = gpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if gpus.iter().any(gpu::Gpu::is_supported) {
        return Ok(names);
    }
    let found = if names.is_empty() { "a driver without a GPU".to_string() } else { names };
    Err((found, "cargo xtask bundle DIR (then run it on a machine with compute capability 8.0 or more)".to_string()))
}

fn products() -> Part {
    let missing = || {
        (
            "no libcublas.so.12, which networks need on a GPU".to_string(),
            install::wheel_command() + ", where the GPU is",
        )
    };
    Part { name: "cuBLAS", road: Road::Gpu, state: cublas::find().ok_or_else(missing) }
}

/// What the functions call that a GPU has not: a look at the source, which needs no toolchain.
fn functions() -> Part {
    let projects = metadata::select(&Selection::default()).unwrap_or_default();
    let missing = projects.iter().flat_map(|project| source::missing(&project.folder().join("src/lib.rs")));
    Part { name: "functions", road: Road::Gpu, state: callable(&missing.collect::<Vec<_>>()) }
}

fn callable(missing: &[Missing]) -> std::result::Result<String, (String, String)> {
    let Some(first) = missing.first() else { return Ok("call nothing that a GPU has not".to_string()) };
    let more = match missing.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Err((format!("{first}{more}"), first.fix()))
}

fn kernels() -> Part {
    let state = built_kernels().map_err(|reason| (reason, BUILD_PTX.to_string()));
    Part { name: "PTX", road: Road::Gpu, state }
}

fn built_kernels() -> std::result::Result<String, String> {
    let projects = metadata::select(&Selection::default()).map_err(|error| error.to_string())?;
    let built = projects.iter().map(kernels_of).collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(format!("kernels of {}", built.join(", ")))
}

fn kernels_of(project: &metadata::Project) -> std::result::Result<String, String> {
    let artifacts = project.artifacts();
    let manifest = artifacts.read_manifest().map_err(|_| format!("not built for {}", project.package))?;
    let checkout = metadata::checkout();
    let sources = [project.folder().join("src"), checkout.join("onyx-device/src"), checkout.join("onyx-macros/src")];
    if artifacts::newest(sources.iter().map(std::path::PathBuf::as_path)) > artifacts.built_at() {
        return Err(format!("{} changed since its kernels were built", project.package));
    }
    Ok(format!("{}: {}", manifest.package, manifest.kernels.len()))
}

#[cfg(test)]
mod tests {
    use super::{Part, Road, callable, table};
    use crate::source::Missing;

    #[test]
    fn a_call_that_a_gpu_has_not_is_named_with_its_place_and_the_fix() {
        let (file, function, method) = ("src/lib.rs".into(), "weigh".to_string(), "sin".to_string());
        let missing = Missing { file, line: 7, function, method };
        let (found, fix) = callable(&[missing.clone(), missing]).unwrap_err();
        assert!(found.starts_with("src/lib.rs:7: `weigh` calls `sin`") && found.ends_with("and 1 more"), "{found}");
        assert!(fix.contains("onyx_device::math::sin"), "{fix}");
        assert!(callable(&[]).is_ok());
    }

    #[test]
    fn the_table_shows_the_fix_and_says_what_is_optional() {
        let part = |road, state| Part { name: "cargo", road, state };
        let text = table(&[
            part(Road::Cpu, Ok("1.90".to_string())),
            part(Road::Gpu, Err(("none".to_string(), "get it".to_string()))),
            part(Road::Cpu, Err(("old".to_string(), "renew it".to_string()))),
        ])
        .to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[1].contains("ok") && lines[2].contains("missing (optional)") && lines[2].contains("get it"),
            "{text}"
        );
        assert!(lines[3].contains("MISSING") && lines[3].contains("renew it"), "{text}");
    }
}
