//! Whether a function names anything of the user's other than its data: then what it does depends on source that no macro sees.

use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Ident, PatIdent, Path};

use crate::check::method;
use crate::check::operation::called_by;
use crate::check::scope::Scoped;
use crate::parse::access::projection;
use crate::parse::function::Function;

/// The first names of paths that mean the same in every crate.
const KNOWN: &[&str] = &[
    "Err", "None", "Ok", "Some", "bool", "core", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "std", "u8",
    "u16", "u32", "u64", "u128", "usize",
];

/// Whether the body calls or names something that is neither its own, nor of the language, nor a collaborative operation.
pub fn has_any(function: &Function) -> bool {
    let scoped = Scoped::new(&function.body);
    let mut walk = Walk { function, scoped: &scoped, found: false };
    walk.visit_block(&scoped.body);
    walk.found
}

struct Walk<'a> {
    function: &'a Function,
    scoped: &'a Scoped,
    found: bool,
}

impl Walk<'_> {
    /// Whether a name is that of a parameter, or of the number of features.
    fn is_parameter(&self, name: &Ident) -> bool {
        let names = &self.function.names;
        let widths = self.function.generics.const_params().map(|width| &width.ident);
        names.feature.iter().chain([&names.element, &names.data]).chain(widths).any(|known| known == name)
    }

    fn is_known(&self, path: &Path) -> bool {
        let is_parameter = || path.get_ident().is_some_and(|name| self.is_parameter(name));
        let first = path.segments.first().map(|segment| &segment.ident);
        first.is_some_and(|first| KNOWN.iter().any(|known| first == known)) || is_parameter()
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if self.scoped.variable(path).is_none() {
            visit::visit_expr_path(self, path);
        }
    }

    /// The path of a value, a type, a structure or a pattern.
    fn visit_path(&mut self, path: &'ast Path) {
        self.found |= !self.is_known(path);
        visit::visit_path(self, path);
    }

    /// A name in capitals may be a constant, which looks like a variable in a pattern.
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = self.scoped.original(&pattern.ident).unwrap_or(&pattern.ident);
        self.found |= name.unraw().to_string().starts_with(char::is_uppercase);
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.found |= !method::is_reader(call);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if projection(call).is_some() {
            return call.args.iter().for_each(|argument| self.visit_expr(argument));
        }
        match called_by(call, &[]) {
            Some((.., arguments)) => arguments.iter().for_each(|argument: &Expr| self.visit_expr(argument)),
            None => visit::visit_expr_call(self, call),
        }
    }
}
