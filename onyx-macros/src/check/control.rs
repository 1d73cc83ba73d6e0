//! Which features come to a point of a body: all of them, or some.

use syn::Lifetime;

use crate::check::cause::{Taint, join};

/// What a `break`, a `continue` or a `return` may go to: a loop, a block with a label, or the end of a closure.
#[derive(Debug)]
struct Target {
    label: Option<Lifetime>,
    kind: Kind,
    /// The taint of what is brought there.
    value: Taint,
    /// Why some features may have gone there before others.
    gone: Taint,
}

/// What kind of target it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `loop`, `while` or `for`
    Loop,
    /// A block with a label.
    Block,
    /// A function or a closure.
    Function,
}

/// The control flow around a point. What is nested is known by its targets, the innermost last.
#[derive(Debug)]
pub struct Control {
    /// Why not all features may come to the branch that is walked.
    pub around: Taint,
    targets: Vec<Target>,
}

impl Control {
    /// The control flow at the start of a function.
    pub fn new() -> Self {
        let mut control = Self { around: None, targets: Vec::new() };
        control.enter(None, Kind::Function);
        control
    }

    /// Why not all features may be here.
    pub fn here(&self) -> Taint {
        self.targets.iter().fold(self.around.clone(), |here, target| join(here, target.gone.clone()))
    }

    /// What follows is inside of a target.
    pub fn enter(&mut self, label: Option<Lifetime>, kind: Kind) {
        self.targets.push(Target { label, kind, value: None, gone: None });
    }

    /// The innermost target ends: all features meet again. Returns the taint of its value.
    pub fn exit(&mut self) -> Taint {
        let target = self.targets.pop();
        target.and_then(|target| join(target.value, target.gone))
    }

    /// The features that are here go to the loop or block with a label, or to the innermost loop.
    pub fn leave(&mut self, label: Option<&Lifetime>, value: Taint) {
        let is_meant = |target: &Target| match label {
            Some(label) => target.label.as_ref().is_some_and(|known| known.ident == label.ident),
            None => target.kind == Kind::Loop,
        };
        self.go(is_meant, value);
    }

    /// The features that are here leave the function or closure.
    pub fn finish(&mut self, value: Taint) {
        self.go(|target| target.kind == Kind::Function, value);
    }

    fn go(&mut self, is_meant: impl Fn(&Target) -> bool, value: Taint) {
        let here = self.here();
        if let Some(target) = self.targets.iter_mut().rev().find(|target| is_meant(target)) {
            target.value = join(target.value.take(), value);
            target.gone = join(target.gone.take(), here);
        }
    }

    /// Grows with what is known.
    pub fn size(&self) -> usize {
        let of = |taint: &Taint| usize::from(taint.is_some());
        of(&self.around) + self.targets.iter().map(|target| of(&target.value) + of(&target.gone)).sum::<usize>()
    }
}
