//! Which of two copies of a fold's code runs on this processor.
//!
//! On x86-64 what pulls and updates rows of four features and more is compiled twice: for every processor, which has vectors of 128 bits, and for those with AVX2,
//! of 2013 and later. Both give the same bits, since the compiler makes no product and sum into one rounding. Debug builds have the first copy alone: their code
//! is not worth the time that the second takes.

use super::deal::Work;
use onyx_device::cpu::Cpu;
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
use onyx_device::cpu::WideCpu;

/// How wide the vectors are that code may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vectors {
    /// They have 256 bits, which the processor is known to have.
    are_wide: bool,
}

impl Vectors {
    /// What every processor has.
    #[cfg(test)]
    pub(super) const NARROW: Self = Self { are_wide: false };

    /// The widest that this processor has and code was compiled for.
    pub(super) fn here() -> Self {
        Self { are_wide: has_wide() }
    }

    /// Does what has a number. It is there once, though two loops deal it out.
    #[inline(never)]
    pub(super) fn run<W: Work>(self, work: &W, number: usize) -> W::Output {
        if const { W::TAKES_VECTORS } && self.are_wide {
            // SAFETY: `Vectors`: the processor has them.
            return unsafe { run_wide(work, number) };
        }
        work.run(Cpu, number)
    }
}

#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
fn has_wide() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("f16c")
}

/// # Safety
/// The processor [has wide vectors](has_wide).
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn run_wide<W: Work>(work: &W, number: usize) -> W::Output {
    // SAFETY: the caller's.
    work.run(unsafe { WideCpu::claim() }, number)
}

#[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
fn has_wide() -> bool {
    false
}

/// # Safety
/// None: it is what every processor has.
#[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
unsafe fn run_wide<W: Work>(work: &W, number: usize) -> W::Output {
    work.run(Cpu, number)
}
