//! Which of two copies of a fold's code runs on this processor.
//!
//! On x86-64 what pulls and updates rows of four features and more is compiled twice: for every processor, which has vectors of 128 bits, and for those with AVX2,
//! of 2013 and later. Both give the same bits, since the compiler makes no product and sum into one rounding. Debug builds have the first copy alone: their code
//! is not worth the time that the second takes.

use super::deal::Work;
use onyx_device::cpu::Cpu;
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
use onyx_device::cpu::WideCpu;
use onyx_device::property::GraphData;

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

    /// Does what has a number.
    pub(super) fn run<W: Work>(self, work: &W, number: usize) -> W::Output {
        W::Data::run(self, work, number)
    }
}

/// A fold's code is a method of its data, which the compiler places where their type is declared: it compiles a crate in several parts, by modules, and functions of
/// this module would all be in one of them, for which the others would wait.
trait Placed {
    /// It is there once, though two loops deal it out.
    #[inline(never)]
    fn run<W: Work>(vectors: Vectors, work: &W, number: usize) -> W::Output {
        if const { W::TAKES_VECTORS } && vectors.are_wide {
            // SAFETY: `Vectors`: the processor has them.
            return unsafe { Self::run_wide(work, number) };
        }
        work.run(Cpu, number)
    }

    /// # Safety
    /// The processor [has wide vectors](has_wide).
    #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    unsafe fn run_wide<W: Work>(work: &W, number: usize) -> W::Output {
        // SAFETY: the caller's.
        work.run(unsafe { WideCpu::claim() }, number)
    }

    /// # Safety
    /// None: it is what every processor has.
    #[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
    unsafe fn run_wide<W: Work>(work: &W, number: usize) -> W::Output {
        work.run(Cpu, number)
    }
}

impl<D: GraphData> Placed for D {}

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

#[cfg(not(all(target_arch = "x86_64", any(test, not(debug_assertions)))))]
fn has_wide() -> bool {
    false
}
