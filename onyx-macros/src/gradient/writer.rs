//! Writes steps as a function of the language.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprCall, Ident};

use crate::gradient::accessed::{accessed, whole};
use crate::gradient::effect::{Effect, Form};
use crate::gradient::name::{ident, is_reserved, named};
use crate::gradient::tape::{self, Tape, needed};
use crate::gradient::value::{Block, Cell, Choice, Id, Operator, Step, placed};
use crate::gradient::written::{Hold, Written, hold_of, written_number};
use crate::parse::access::{Access, Place};

/// The body of the function that does these effects, without its last line; and what it reads.
pub fn body(tape: &Tape, effects: &[Effect]) -> (TokenStream, Vec<Access>) {
    let indices = effects.iter().filter_map(|effect| effect.cell.index);
    let results: Vec<Id> = effects.iter().map(|effect| effect.value).chain(indices).collect();
    let all: Vec<Step> = tape.reads.iter().chain(&tape.steps).cloned().collect();
    let steps = needed(&all, &results);
    let reads = tape::reads_of(&steps).into_iter().map(|(access, _)| access.clone()).collect();
    let (written, negated, given) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut writer = Writer { tape, written, names: named(&steps), negated, given };
    let statements = writer.steps(&steps, &results);
    let effects: Vec<TokenStream> = effects.iter().map(|effect| writer.effect(effect)).collect();
    (quote!(#statements #(#effects)*), reads)
}

struct Writer<'t> {
    tape: &'t Tape,
    /// What stands for each value.
    written: HashMap<Id, Written>,
    /// The names that are taken.
    names: HashSet<String>,
    /// What values are the negations of.
    negated: HashMap<Id, TokenStream>,
    /// The name that a value was given before, in another block.
    given: HashMap<Id, Ident>,
}

impl Writer<'_> {
    /// Writes the steps of a block. What is used once, in the same block, stands where it is used.
    fn steps(&mut self, steps: &[Step], results: &[Id]) -> TokenStream {
        let uses = tape::uses(steps, results.iter().copied());
        let mut statements = TokenStream::new();
        for step in steps {
            let written = self.step(step);
            let is_once = matches!(uses.get(&step.id), Some((1, false)));
            let is_read = matches!(step.operator, Operator::Read(_) | Operator::Number(_)) && step.arguments.is_empty();
            let is_short = is_read || is_plain(step);
            let is_choice = matches!(step.operator, Operator::Choice(_));
            if is_short || is_once && !is_choice {
                self.written.insert(step.id, written);
                continue;
            }
            let name = self.new_name(step.id);
            let value = written.0;
            statements.extend(quote!(let #name = #value;));
            self.written.insert(step.id, (quote!(#name), Hold::Atom));
        }
        statements
    }

    /// A name for a value, which nothing else has: the user's, if it is free.
    fn new_name(&mut self, id: Id) -> Ident {
        if let Some(name) = self.given.get(&id) {
            return name.clone();
        }
        let base = self.tape.value(id).name.clone().unwrap_or_else(|| "value".to_owned());
        let base = base.strip_prefix("r#").unwrap_or(&base).to_owned();
        let is_free = |name: &str| !self.names.contains(name) && !is_reserved(name);
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(base);
        self.names.insert(name.clone());
        let name = ident(&name);
        self.given.insert(id, name.clone());
        name
    }

    /// Stores a value, or adds it; what is negated is subtracted.
    fn effect(&mut self, effect: &Effect) -> TokenStream {
        if let Some(by) = &effect.by {
            return self.product(effect, by);
        }
        let (place, (value, _)) = (self.place(&effect.cell.access()), self.value(effect.value));
        match (effect.form, self.negated.get(&effect.value)) {
            (Form::Adds, Some(value)) => quote!(#place -= #value;),
            (Form::Adds, None) => quote!(#place += #value;),
            (Form::Multiplies, _) => quote!(#place *= #value;),
            (Form::Stores, _) => quote!(#place = #value;),
        }
    }

    /// Adds a product to a matrix, or to a row of another width.
    fn product(&self, effect: &Effect, by: &Access) -> TokenStream {
        let (value, _) = self.value(effect.value);
        let (value, operator) = match self.negated.get(&effect.value) {
            Some(value) => (value.clone(), quote!(-=)),
            None => (value, quote!(+=)),
        };
        let to = effect.cell.access();
        if by.place == Place::Graph {
            let (to, matrix) = (whole(&to), accessed(by));
            quote!(#to #operator transpose_matvec(#matrix, #value);)
        } else {
            let (to, row) = (accessed(&to), whole(by));
            quote!(#to #operator outer(#value, #row);)
        }
    }

    /// A property, with the value of its index, if it has one.
    fn place(&self, access: &Access) -> TokenStream {
        let mut access = access.clone();
        if let Some(index) = Cell::of(&access).index {
            access.index = Some(Box::new(Expr::Verbatim(self.part(index, Hold::Loose))));
        }
        accessed(&access)
    }

    fn value(&self, id: Id) -> Written {
        self.written.get(&id).cloned().unwrap_or_else(|| (quote!(0.0), Hold::Atom))
    }

    /// A value as a part of something that holds `least`.
    fn part(&self, id: Id, least: Hold) -> TokenStream {
        let (tokens, hold) = self.value(id);
        if hold >= least { tokens } else { quote!((#tokens)) }
    }

    fn step(&mut self, step: &Step) -> Written {
        let a = |number: usize, least: Hold| self.part(step.arguments[number], least);
        match &step.operator {
            Operator::Read(access) => (self.place(access), Hold::Atom),
            Operator::Number(number) => written_number(*number),
            Operator::Negate => {
                let (value, whole) = (a(0, Hold::Unary), a(0, Hold::Loose));
                self.negated.insert(step.id, whole);
                (quote!(-#value), Hold::Unary)
            }
            Operator::Add => {
                let (left, right) = (a(0, Hold::Sum), a(1, Hold::Product));
                (quote!(#left + #right), Hold::Sum)
            }
            Operator::Subtract => {
                let (left, right) = (a(0, Hold::Sum), a(1, Hold::Product));
                (quote!(#left - #right), Hold::Sum)
            }
            Operator::Multiply => {
                let (left, right) = (a(0, Hold::Product), a(1, Hold::Unary));
                (quote!(#left * #right), Hold::Product)
            }
            Operator::Divide => {
                let (left, right) = (a(0, Hold::Product), a(1, Hold::Unary));
                (quote!(#left / #right), Hold::Product)
            }
            Operator::Method(name) => {
                let (name, receiver) = (ident(name), a(0, Hold::Atom));
                let rest = (1..step.arguments.len()).map(|number| a(number, Hold::Loose));
                (quote!(#receiver.#name(#(#rest),*)), Hold::Atom)
            }
            Operator::Operation(name) => {
                let name = ident(name);
                let arguments = (0..step.arguments.len()).map(|number| a(number, Hold::Loose));
                (quote!(#name(#(#arguments),*)), Hold::Atom)
            }
            Operator::Code(code) | Operator::Unknown(code, _) | Operator::Call(code, _) => self.code(code),
            Operator::Choice(choice) => self.choice(choice, step.arguments[0]),
        }
    }

    fn code(&self, code: &Expr) -> Written {
        let mut code = code.clone();
        if let Expr::Path(path) = &code
            && let Some(id) = path.path.get_ident().and_then(placed)
        {
            return self.value(id);
        }
        let hold = hold_of(&code);
        Fill { writer: self }.visit_expr_mut(&mut code);
        (quote!(#code), hold)
    }

    fn choice(&mut self, choice: &Choice, which: Id) -> Written {
        let condition = self.part(which, Hold::Loose);
        let Some(patterns) = &choice.patterns else {
            let (yes, no) = (self.block(&choice.blocks[0]), self.block(&choice.blocks[1]));
            return (quote!(if #condition { #yes } else { #no }), Hold::Loose);
        };
        let mut arms = TokenStream::new();
        for (arm, block) in patterns.iter().zip(&choice.blocks) {
            for (name, id) in &arm.bound {
                self.written.insert(*id, (quote!(#name), Hold::Atom));
            }
            let (pattern, block) = (&arm.pattern, self.block(block));
            arms.extend(quote!(#pattern => { #block }));
        }
        (quote!(match #condition { #arms }), Hold::Loose)
    }

    fn block(&mut self, block: &Block) -> TokenStream {
        let outside = self.written.clone();
        let steps = needed(&block.steps, &[block.result]);
        let statements = self.steps(&steps, &[block.result]);
        let (value, _) = self.value(block.result);
        self.written = outside;
        quote!(#statements #value)
    }
}

/// Puts what stands for values in their places.
struct Fill<'w, 't> {
    writer: &'w Writer<'t>,
}

impl Fill<'_, '_> {
    fn fill(&mut self, expression: &mut Expr, least: Hold) {
        if let Expr::Path(path) = expression
            && let Some(id) = path.path.get_ident().and_then(placed)
        {
            *expression = Expr::Verbatim(self.writer.part(id, least));
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
    }
}

impl VisitMut for Fill<'_, '_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        self.fill(expression, Hold::Atom);
    }

    /// An argument stands between commas.
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        self.visit_expr_mut(&mut call.func);
        call.args.iter_mut().for_each(|argument| self.fill(argument, Hold::Loose));
    }
}

/// Code that takes no values: it may stand anywhere, as often as one likes.
fn is_plain(step: &Step) -> bool {
    let Operator::Code(code) = &step.operator else { return false };
    let is_short = matches!(**code, Expr::Lit(_) | Expr::Path(_) | Expr::Field(_));
    is_short && (step.arguments.is_empty() || matches!(**code, Expr::Path(_)))
}

/// A derived function.
pub fn function(
    name: &Ident,
    is_edge: bool,
    takes_feature: bool,
    head: (&TokenStream, &TokenStream),
    body: &TokenStream,
) -> TokenStream {
    let (generics, data) = head;
    let [d, e, v, f] = ["d", "e", "v", "f"].map(ident);
    let element = if is_edge { quote!(#e: Edge) } else { quote!(#v: Vertex) };
    let feature = takes_feature.then(|| quote!(#f: Feature,));
    quote_spanned! {Span::mixed_site()=>
        fn #name #generics(#feature #element, #d: &mut #data) -> bool {
            #body
            true
        }
    }
}
