//! The GPU architectures that PTX is made for.

/// One architecture: a PTX file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Compute capability times ten.
    pub compute_capability: u32,
    /// Whether there is what `sm_90` brought: `red.global.add.v4.f32` and `griddepcontrol`.
    pub is_sm_90: bool,
}

/// Every architecture, ascending: the runtime takes the last one its GPU can run.
pub const ARCHITECTURES: [Architecture; 2] =
    [Architecture { compute_capability: 80, is_sm_90: false }, Architecture { compute_capability: 90, is_sm_90: true }];

/// The newest one: what all GPUs of it and after it run.
pub const NEWEST: &[Architecture] = ARCHITECTURES.split_at(1).1;

/// The PTX version asked of rustc: the first one with vector reductions.
const PTX_FEATURE: &str = "+ptx81";

/// A cost that no function of a kernel has: a closure cannot ask for it, and kernels call nothing.
const INLINE_ALL: u32 = 1_000_000;

impl Architecture {
    /// The one of this name, such as `sm_80`.
    pub fn named(name: &str) -> Option<Self> {
        ARCHITECTURES.into_iter().find(|architecture| architecture.name() == name)
    }

    /// `sm_80` and so on.
    pub fn name(self) -> String {
        gpu_name(self.compute_capability)
    }

    /// The flags of rustc that the crate with the folds has for this architecture, after those of [`encoded_rustflags`].
    pub fn rustflags(self) -> Vec<String> {
        let mut flags = vec![format!("-Ctarget-cpu={}", self.name())];
        if self.is_sm_90 {
            flags.push("--cfg=onyx_sm_90".to_string());
        }
        flags
    }
}

/// The flags of rustc for every crate, in the form of CARGO_ENCODED_RUSTFLAGS: what the folds depend on is compiled once, for the first architecture.
pub fn encoded_rustflags() -> String {
    let [first, ..] = ARCHITECTURES;
    let flags = [
        format!("-Ctarget-cpu={}", first.name()),
        format!("-Ctarget-feature={PTX_FEATURE}"),
        // The assembly is written before linking, so the linker has nothing to do.
        "-Clinker=true".to_string(),
        "-Cllvm-args=-nvptx-fma-level=2".to_string(),
        format!("-Cllvm-args=-inline-threshold={INLINE_ALL}"),
    ];
    flags.join("\u{1f}")
}

/// The name that rustc and ptxas give a compute capability.
pub fn gpu_name(compute_capability: u32) -> String {
    format!("sm_{compute_capability}")
}
