//! What the PTX of a fold must look like: one kernel with everything folded in, and wide accesses.

use crate::manifest::Kernel;

use crate::panics::is_of_core;
use crate::ptx::{Entry, Ptx, calls, identifiers};
use crate::rows::{adds_rows, reaches_rows};
use crate::usage::Usage;

const LOCAL_DEPOT: &str = "__local_depot";
/// The features of one 16-byte access.
const QUAD: u32 = 4;
/// The schedules that may begin before the launch before them has ended, on architectures that have vector reductions.
const WAITING: [&str; 6] = ["word_per_warp", "pack", "pull", "finish", "finish_long", "activate"];

/// Everything wrong with one PTX file, one sentence each.
pub fn violations(ptx: &Ptx, kernels: &[Kernel], usages: &[Usage], has_vector_reductions: bool) -> Vec<String> {
    let mut found: Vec<String> = not_inlined(ptx).map(|line| format!("a function was not inlined: {line}")).collect();
    let is_scalar = |name: &str| ptx.features_of(name) == Some(0);
    found.extend(ptx.entries.iter().flat_map(|entry| entry_violations(entry, is_scalar(&entry.name))));
    let has_quads = |name: &str| ptx.features_of(name).is_none_or(|features| u32::from(features) >= QUAD);
    let wide = || kernels.iter().filter(|kernel| has_quads(&kernel.entry));
    found.extend(wide().filter_map(|kernel| kernel_violation(ptx, kernel, has_vector_reductions)));
    found.extend(duplicates(ptx));
    if has_vector_reductions {
        found.extend(wide().filter_map(|kernel| push_violation(ptx, kernel)));
        found.extend(kernels.iter().filter_map(|kernel| wait_violation(ptx, kernel)));
    }
    found.extend(usages.iter().filter(|usage| !is_scalar(&usage.entry)).filter_map(usage_violation));
    found
}

/// The functions that are there and are no kernels. What `core` has to panic is found by the places that do.
fn not_inlined(ptx: &Ptx) -> impl Iterator<Item = &String> {
    ptx.functions.iter().filter(|line| !identifiers(line).any(is_of_core))
}

/// Each fold, schedule and width has one entry.
fn duplicates(ptx: &Ptx) -> Vec<String> {
    let mut names: Vec<&str> = ptx.entries.iter().map(|entry| &*entry.name).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{}: is there twice", pair[0])).collect()
}

/// A push that has whole rows in its lanes adds four features at once.
fn push_violation(ptx: &Ptx, kernel: &Kernel) -> Option<String> {
    let entry = ptx.entries.iter().find(|entry| entry.name == kernel.entry)?;
    let narrow = |opcode: &str| opcode.starts_with("red.global.add") && !opcode.contains(".v4");
    let rows = kernel.schedule == "push" && wants_quads(kernel.width) && entry.opcodes().any(narrow);
    let has_quad = entry.opcodes().any(|opcode| opcode.starts_with("red.") && is_quad_access(opcode));
    (rows && !has_quad && adds_rows(ptx, kernel))
        .then(|| format!("{}: adds feature by feature; red.global.add.v4.f32 adds four", kernel.entry))
}

/// A kernel that may begin early waits for the one before it.
fn wait_violation(ptx: &Ptx, kernel: &Kernel) -> Option<String> {
    let entry = ptx.entries.iter().find(|entry| entry.name == kernel.entry)?;
    let waits = entry.opcodes().any(|opcode| opcode == "griddepcontrol.wait");
    let may_begin_early = WAITING.contains(&schedule_of(kernel)) && reaches_memory(entry);
    (may_begin_early && !waits).then(|| format!("{}: does not wait for the launch before it", kernel.entry))
}

/// The name of the schedule alone, without the number of a stage and whether rows are wide.
fn schedule_of(kernel: &Kernel) -> &str {
    let name = kernel.schedule.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
    name.strip_suffix("_wide").unwrap_or(name)
}

/// A kernel that its fold has no use for, such as the push of one that is not change-driven, is empty.
fn reaches_memory(entry: &Entry) -> bool {
    entry.opcodes().any(|opcode| opcode.contains(".global"))
}

/// A thread that has all features of wide rows may keep them in arrays; no other one.
fn entry_violations(entry: &Entry, is_scalar: bool) -> Vec<String> {
    let mut found = Vec::new();
    if calls(&entry.body).any(|function| !is_of_core(function)) {
        found.push(format!("{}: calls a function; mark it #[inline(always)]", entry.name));
    }
    if !is_scalar && entry.body.iter().any(|line| line.contains(LOCAL_DEPOT)) {
        found.push(format!("{}: keeps an array in local memory; index it by constants only", entry.name));
    }
    found
}

fn kernel_violation(ptx: &Ptx, kernel: &Kernel, has_vector_reductions: bool) -> Option<String> {
    let Some(entry) = ptx.entries.iter().find(|entry| entry.name == kernel.entry) else {
        return Some(format!("{}: is in the manifest and not in the PTX", kernel.entry));
    };
    let is_empty = !reaches_memory(entry);
    let reaches_four = |opcode: &str| is_quad_access(opcode) || reaches_four_halves(opcode);
    let is_narrow = wants_quads(kernel.width) && !is_empty && !entry.opcodes().any(reaches_four);
    (is_narrow && reaches_rows(ptx, kernel, has_vector_reductions))
        .then(|| format!("{}: has no 16-byte access; give each lane {QUAD} features", kernel.entry))
}

fn usage_violation(usage: &Usage) -> Option<String> {
    let (stores, loads) = (usage.spill_stores, usage.spill_loads);
    (usage.spills() > 0).then(|| format!("{}: spills {stores} bytes out and {loads} bytes in", usage.entry))
}

/// Rows of other widths are not aligned to 16 bytes.
fn wants_quads(width: u32) -> bool {
    width >= QUAD && width.is_multiple_of(QUAD)
}

/// Whether an instruction reaches 16 bytes of global memory at once.
pub fn is_quad_access(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    let is_memory = matches!(parts.next(), Some("ld" | "st" | "red" | "atom"));
    let parts: Vec<&str> = parts.collect();
    let is_near = ["param", "local", "shared", "const"].iter().any(|space| parts.contains(space));
    let is_wide = parts.contains(&"v4") && ["b32", "f32", "u32", "s32"].iter().any(|kind| parts.contains(kind))
        || parts.contains(&"v2") && ["b64", "f64", "u64", "s64"].iter().any(|kind| parts.contains(kind))
        || parts.contains(&"b128");
    is_memory && !is_near && is_wide
}

/// Whether an instruction reaches four floats of two bytes in global memory at once.
fn reaches_four_halves(opcode: &str) -> bool {
    matches!(opcode, "ld.global.v4.b16" | "st.global.v4.b16")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_quad_access, violations};
    use crate::kernels;
    use crate::ptx::Ptx;
    use crate::usage::Usage;

    fn found(body: &str) -> Vec<String> {
        let body = format!("griddepcontrol.wait;\n{body}");
        let text = format!(".global .u64 a__b__fingerprint = 1;\n.entry a__b__pull__k4()\n{{\n{body}\n}}");
        let ptx = Ptx::parse(Path::new("a.ptx"), &text).unwrap();
        violations(&ptx, &kernels::of(&ptx).unwrap().0, &[], true)
    }

    #[test]
    fn a_good_kernel_has_no_violation() {
        assert!(found("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nret;").is_empty());
        assert!(found("ld.global.v4.b16 {%rs1, %rs2, %rs3, %rs4}, [%rd1];\nret;").is_empty());
    }

    #[test]
    fn an_empty_kernel_has_no_violation() {
        assert!(found("ret;").is_empty());
    }

    #[test]
    fn bad_kernels_are_named_with_the_reason() {
        let quad = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];";
        assert!(found("ld.global.b32 %r1, [%rd1];")[0].contains("no 16-byte access"));
        assert!(found(&format!("{quad}\n@%p1 call.uni f, ();"))[0].contains("calls a function"));
        assert!(found(&format!("{quad}\n.local .align 16 .b8 __local_depot0[16];"))[0].contains("local memory"));
    }

    #[test]
    fn a_fold_may_say_that_its_lanes_have_fewer_features() {
        let body = ".local .align 16 .b8 __local_depot0[16];\nld.global.b32 %r1, [%rd1];\ngriddepcontrol.wait;";
        let found = |mark: &str| {
            let text = format!(".global .u64 a__b__fingerprint = 1;\n{mark}\n.entry a__b__pull__k4()\n{{\n{body}\n}}");
            let ptx = Ptx::parse(Path::new("a.ptx"), &text).unwrap();
            violations(&ptx, &kernels::of(&ptx).unwrap().0, &[], true).len()
        };
        assert_eq!(found(""), 2);
        assert_eq!(found(".visible .global .align 1 .b8 a__b__features_per_lane[1] = {1};"), 1);
        assert_eq!(found(".visible .global .align 1 .b8 a__b__features_per_lane[1];"), 0);
    }

    #[test]
    fn kernels_that_are_gone_functions_and_spills_are_found() {
        let text = ".global .u64 a__b__fingerprint = 1;\n.entry a__b__pull__k1()\n{\n}";
        let kernels = kernels::of(&Ptx::parse(Path::new("a.ptx"), text).unwrap()).unwrap().0;
        let ptx = Ptx::parse(Path::new("a.ptx"), ".func f()\n{\n}").unwrap();
        let usage = Usage { entry: "x".to_string(), spill_stores: 4, ..Usage::default() };
        let found = violations(&ptx, &kernels, &[usage], true);
        assert!(
            found[0].contains("not inlined") && found[1].contains("not in the PTX") && found[2].contains("spills 4"),
            "{found:?}"
        );
    }

    #[test]
    fn a_push_that_adds_feature_by_feature_is_found() {
        let push = |reduction: &str| {
            let body = format!("ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%rd1];\n{reduction} [%rd2], %f1;");
            let text = format!(".global .u64 a__b__fingerprint = 1;\n.entry a__b__push__k4()\n{{\n{body}\n}}");
            let ptx = Ptx::parse(Path::new("a.ptx"), &text).unwrap();
            violations(&ptx, &kernels::of(&ptx).unwrap().0, &[], true)
        };
        assert!(push("red.global.add.f32")[0].contains("feature by feature"));
        assert!(push("red.global.add.v4.f32").is_empty());
    }

    #[test]
    fn kernels_that_begin_early_and_do_not_wait_are_found() {
        let found = |name: &str, wait: &str| {
            let body = format!("ld.global.b32 %r1, [%rd1];\n{wait}\nret;");
            let text = format!(".global .u64 a__b__fingerprint = 1;\n.entry a__b__{name}()\n{{\n{body}\n}}");
            let ptx = Ptx::parse(Path::new("a.ptx"), &text).unwrap();
            violations(&ptx, &kernels::of(&ptx).unwrap().0, &[], true)
        };
        for name in ["activate__k0", "finish_1__k1", "pull_wide__k2", "finish_long_wide_2__k1"] {
            assert!(found(name, "")[0].contains("does not wait"), "{name}");
            assert!(found(name, "griddepcontrol.wait;").is_empty(), "{name}");
        }
        for name in ["long_rows__k1", "clear_1__k1", "look__k0"] {
            assert!(found(name, "").is_empty(), "{name}");
        }
    }

    #[test]
    fn an_entry_that_is_there_twice_is_found() {
        let text = ".entry x()\n{\n}\n.entry x()\n{\n}";
        let ptx = Ptx::parse(Path::new("a.ptx"), text).unwrap();
        assert_eq!(violations(&ptx, &[], &[], true), ["x: is there twice"]);
    }

    #[test]
    fn only_wide_global_accesses_count() {
        for opcode in ["ld.global.v4.b32", "st.global.v4.f32", "red.global.add.v4.f32", "ld.v4.f32", "ld.global.v2.b64"]
        {
            assert!(is_quad_access(opcode), "{opcode}");
        }
        for opcode in ["ld.param.v4.b32", "st.shared.v4.f32", "ld.global.v2.f32", "mov.b32", "ld.global.f32"] {
            assert!(!is_quad_access(opcode), "{opcode}");
        }
    }
}
