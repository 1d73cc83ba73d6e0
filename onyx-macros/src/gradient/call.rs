//! Calls of plain functions whose derivatives the user gives.

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprPath, Ident};

use crate::errors::Errors;
use crate::expand::function::Lowered;
use crate::gradient::reader::Reading;
use crate::gradient::rule::Share;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Id, Operator, placeholder};
use crate::message;
use crate::parse::access::bare;
use crate::parse::derivative::{Derivative, path_text};

impl Reading<'_, '_> {
    /// The value of a plain function. Where an argument varies, so does the value, and the user gives the derivative.
    pub(super) fn plain_call(&mut self, whole: &Expr, function: &ExprPath, arguments: &[&Expr]) -> Id {
        let name = function.path.get_ident().filter(|name| self.variables.contains_key(name));
        if let Some(closure) = name {
            let name = self.scoped.original(closure).unwrap_or(closure);
            return self.code(whole, Some(message::no_derivative(name)));
        }
        let unknown = Some(message::no_derivative_of_call(path_text(function)));
        let Some(given) = self.reader.derivatives.iter().find(|given| given.of == *function) else {
            return self.code(whole, unknown);
        };
        let ids: Vec<Id> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let tape = &mut self.reader.tape;
        if ids.iter().any(|id| tape.is_matrix(*id)) || !ids.iter().any(|id| tape.varies(*id)) {
            return self.code(whole, unknown);
        }
        let values = ids.iter().map(|id| placeholder(*id));
        let code = Box::new(syn::parse_quote!(#function(#(#values),*)));
        tape.push(Operator::Call(code, given.clone()), ids)
    }
}

/// The shares of the arguments of a call with the value `value`: the adjoint `g` times the derivative by each.
pub fn shares(tape: &mut Tape, given: &Derivative, (g, value): (Id, Id), arguments: &[Id]) -> Vec<Share> {
    let by = &given.by;
    let mut taken = arguments.to_vec();
    taken.iter_mut().take(usize::from(given.takes_value)).for_each(|first| *first = value);
    let values: Vec<Ident> = taken.iter().map(|argument| placeholder(*argument)).collect();
    let is_uniform = taken.iter().all(|argument| tape.is_uniform(*argument));
    let mut step = |code, of| tape.push_as(Operator::Code(Box::new(code)), of, false, is_uniform);
    let called = step(syn::parse_quote!(#by(#(#values),*)), taken);
    if arguments.len() == 1 {
        return vec![(0, tape.multiply(g, called))];
    }
    tape.name(called, "slopes");
    let varying: Vec<usize> = (0..arguments.len()).filter(|number| tape.varies(arguments[*number])).collect();
    let all = placeholder(called);
    let share = |number: usize| {
        let place = syn::Index::from(number);
        let slope =
            tape.push_as(Operator::Code(Box::new(syn::parse_quote!(#all[#place]))), vec![called], false, is_uniform);
        (number, tape.multiply(g, slope))
    };
    varying.into_iter().map(share).collect()
}

/// Each derivative that is given, with the number of its arguments. One of a function that none of the fold's calls is refused.
pub fn called(derivatives: &[Derivative], functions: &[Lowered], errors: &mut Errors) -> Vec<(ExprPath, usize)> {
    let mut found = Vec::new();
    for Derivative { of, by, .. } in derivatives {
        let mut calls = Calls { of, arguments: None };
        functions.iter().for_each(|lowered| calls.visit_block(&lowered.function.body));
        match calls.arguments {
            Some(arguments) => found.push((by.clone(), arguments)),
            None => errors.push(of, message::derivative_unused(path_text(of))),
        }
    }
    found
}

/// The calls of one function.
struct Calls<'a> {
    of: &'a ExprPath,
    /// How many arguments they have.
    arguments: Option<usize>,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if matches!(bare(&call.func), Expr::Path(function) if function == self.of) {
            self.arguments = Some(call.args.len());
        }
        visit::visit_expr_call(self, call);
    }
}
