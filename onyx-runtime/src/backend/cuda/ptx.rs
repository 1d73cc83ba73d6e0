//! The text of PTX: kernels that are taken out of it, or get a bound on their registers.

use std::collections::HashSet;
use std::ops::Range;

use super::registers::Bounds;

/// A line.
struct Line<'a> {
    text: &'a str,
    /// The same without its comment.
    code: &'a str,
    /// How many braces are open before it, and after it.
    open: (usize, usize),
}

fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut depth = 0_usize;
    source.lines().map(move |text| {
        let code = text.split("//").next().unwrap_or_default();
        let before = depth;
        depth = (depth + code.matches('{').count()).saturating_sub(code.matches('}').count());
        Line { text, code, open: (before, depth) }
    })
}

/// The kernel that a line begins.
fn entry(code: &str) -> Option<&str> {
    let name = code.split_once(".entry")?.1.trim_start();
    Some(name.split(|letter: char| letter == '(' || letter.is_whitespace()).next().unwrap_or_default())
}

/// Where the kernels of a text are, so that some of them are read without all others.
#[derive(Debug)]
pub(super) struct Index {
    pieces: Vec<Piece>,
}

/// A kernel, or what is between kernels.
#[derive(Debug)]
struct Piece {
    kernel: Option<String>,
    bytes: Range<usize>,
}

impl Index {
    /// That of a text.
    pub(super) fn of(source: &str) -> Self {
        let (mut pieces, mut kernel, mut at) = (Vec::new(), None, 0);
        for Line { text, code, open: (before, after) } in lines(source) {
            let end = (at + text.len() + 1).min(source.len());
            let begun = if before == 0 { entry(code) } else { None };
            kernel = begun.map(str::to_owned).or(kernel);
            match pieces.last_mut() {
                Some(Piece { kernel: last, bytes }) if *last == kernel => bytes.end = end,
                _ => pieces.push(Piece { kernel: kernel.clone(), bytes: at..end }),
            }
            if before > 0 && after == 0 {
                kernel = None;
            }
            at = end;
        }
        Self { pieces }
    }

    /// The bytes of the text with those kernels alone; what is no kernel stays.
    pub(super) fn only<'a>(&'a self, kernels: &'a HashSet<String>) -> impl Iterator<Item = Range<usize>> + 'a {
        let is_kept = |piece: &&Piece| piece.kernel.as_ref().is_none_or(|name| kernels.contains(name));
        self.pieces.iter().filter(is_kept).map(|piece| piece.bytes.clone())
    }
}

/// The text with those kernels alone; what is no kernel stays.
pub(super) fn only(source: &str, kernels: &HashSet<String>) -> String {
    Index::of(source).only(kernels).map(|bytes| &source[bytes]).collect()
}

/// The text in which these kernels have their bounds.
pub(super) fn bounded(source: &str, bounds: &Bounds) -> String {
    let (mut bounded, mut bound) = (String::new(), None);
    for Line { text, code, open: (before, _) } in lines(source) {
        if before == 0 {
            bound = entry(code).map_or(bound, |name| bounds.get(name));
            if code.trim_start().starts_with('{') {
                bound.take().into_iter().for_each(|bound| bounded.push_str(&format!(".maxnreg {bound}\n")));
            }
        }
        bounded.push_str(text);
        bounded.push('\n');
    }
    bounded
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
.version 8.6
.global .align 8 .u64 a__fingerprint = 7;
.visible .entry a__pull__k4(
\t.param .align 8 .b8 a_param_0[16]
)
{
\t{ // a block }
\t}
\tret;
}
.visible .entry a__pull__k8()
{
\tret;
}
";

    #[test]
    fn other_kernels_are_left_out() {
        let kept = only(SOURCE, &HashSet::from(["a__pull__k8".to_owned()]));
        assert!(
            kept.contains("fingerprint") && kept.contains("a__pull__k8") && !kept.contains("a__pull__k4"),
            "{kept}"
        );
        assert_eq!(kept.matches("ret;").count(), 1);
        assert_eq!(only(SOURCE, &["a__pull__k4", "a__pull__k8"].map(str::to_owned).into()), SOURCE);
        let without_end = SOURCE.trim_end();
        assert!(only(without_end, &HashSet::from(["a__pull__k8".to_owned()])).ends_with("ret;\n}"));
    }

    #[test]
    fn bounds_stand_before_the_body_of_their_kernel() {
        let found = bounded(SOURCE, &Bounds::from([("a__pull__k4".to_owned(), 40)]));
        assert_eq!(found, SOURCE.replacen(")\n{", ")\n.maxnreg 40\n{", 1));
        let found = bounded(SOURCE, &Bounds::from([("a__pull__k8".to_owned(), 32)]));
        assert_eq!(found, SOURCE.replacen("()\n{", "()\n.maxnreg 32\n{", 1));
    }
}
