//! Cutting a failing program down: of all programs that one cut leaves, the first that fails in the same way is cut again.

use onyx_random::cut;
use onyx_random::name::Name;
use onyx_random::program::Program;

use crate::chunk::{self, Outcome};
use xtask::error::Result;

/// How many cuts are compiled at once.
const CHUNK: usize = 16;

/// Prints the smallest program found that fails as this one does.
pub fn shrink(failed: &Outcome) -> Result<()> {
    let mut smallest = failed.clone();
    while let Some(smaller) = smaller(&smallest)? {
        println!("{} fails, too", smaller.name);
        smallest = smaller;
    }
    println!("\nthe smallest that {}: {}\n{}", smallest.verdict, smallest.name, smallest.text);
    Ok(())
}

/// The first program after one cut that fails in the same way.
fn smaller(failed: &Outcome) -> Result<Option<Outcome>> {
    let cuts: Vec<Name> =
        (0..cut::cuts(&Program::of(&failed.name)).len()).map(|number| failed.name.cut(number)).collect();
    for names in cuts.chunks(CHUNK) {
        let outcomes = chunk::run(names)?;
        let found = outcomes.into_iter().find(|outcome| outcome.verdict == failed.verdict);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
