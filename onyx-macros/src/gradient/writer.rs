//! Writes steps as a function of the language.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprCall, Ident, Lit, Path, UnOp};

use crate::check::operation::is_operation;
use crate::gradient::tape::{self, Tape, needed};
use crate::gradient::value::{Block, Cell, Choice, Id, Operator, Step, placed};
use crate::parse::access::{Access, Place};

/// How tightly an expression holds together: what holds less stands in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    Loose,
    Sum,
    Product,
    Unary,
    Atom,
}

/// An expression.
type Written = (TokenStream, Hold);

/// What a derived function does with a value that it has computed.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The property, and whose value of it.
    pub cell: Cell,
    /// How.
    pub form: Form,
    /// The value.
    pub value: Id,
    /// What the value is multiplied by, where a sum of products with rows of another width gets it: the row, or the matrix.
    pub by: Option<Access>,
}

/// How a value comes to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is stored.
    Stores,
    /// It is added to what is there.
    Adds,
    /// It is multiplied into it.
    Multiplies,
}

impl Form {
    /// It is added to what there is, or stored where there is nothing.
    pub fn of(adds: bool) -> Self {
        if adds { Self::Adds } else { Self::Stores }
    }
}

/// An expression that is a name of the derived functions.
pub fn name_of(name: &str) -> Expr {
    let name = ident(name);
    syn::parse_quote!(#name)
}

/// A name of the derived functions.
pub fn ident(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

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

/// The names that code has for what is no value: constants and plain functions, which a variable must not hide.
fn named(steps: &[Step]) -> HashSet<String> {
    let mut found = Named(HashSet::new());
    steps.iter().for_each(|step| found.visit_step(step));
    found.0
}

struct Named(HashSet<String>);

impl Named {
    fn visit_step(&mut self, step: &Step) {
        match &step.operator {
            Operator::Code(code) | Operator::Unknown(code, _) | Operator::Call(code, _) => self.visit_expr(code),
            Operator::Choice(choice) => {
                choice.blocks.iter().flat_map(|block| &block.steps).for_each(|step| self.visit_step(step));
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_path(&mut self, path: &'ast Path) {
        self.0.extend(path.get_ident().map(ToString::to_string));
        visit::visit_path(self, path);
    }
}

/// A property, as it stands in a function.
fn accessed(access: &Access) -> TokenStream {
    let (property, data) = (&access.property, ident("d"));
    let (element, feature) = (element(access), access.is_row.then(|| ident("f")).into_iter());
    if let Some(matrix) = &access.matrix {
        let row = whole(access);
        return quote!(matvec(#data.#matrix #([#feature])*, #row));
    }
    quote!(#data.#property #element #([#feature])*)
}

/// All numbers of a row of another width.
fn whole(access: &Access) -> TokenStream {
    let (data, property, element) = (ident("d"), &access.property, element(access));
    quote!(#data.#property #element[..])
}

fn element(access: &Access) -> TokenStream {
    let (edge, vertex, index) = (ident("e"), ident("v"), &access.index);
    match access.place {
        Place::Source => quote!([#edge.src]),
        Place::Destination => quote!([#edge.dst]),
        Place::Reverse => quote!([#edge.rev]),
        Place::Edge => quote!([#edge]),
        Place::Vertex => quote!([#vertex]),
        Place::Computed => quote!([Vertex(#index)]),
        Place::Row => quote!([#index]),
        Place::Graph => TokenStream::new(),
    }
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

fn hold_of(code: &Expr) -> Hold {
    match code {
        Expr::Lit(literal) if !matches!(literal.lit, Lit::Float(_) | Lit::Int(_)) => Hold::Atom,
        Expr::Lit(_) | Expr::Path(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Field(_) => Hold::Atom,
        Expr::Paren(_) | Expr::Index(_) | Expr::Tuple(_) | Expr::Array(_) => Hold::Atom,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) => Hold::Unary,
        Expr::Binary(binary) => match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) => Hold::Sum,
            BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => Hold::Product,
            _ => Hold::Loose,
        },
        _ => Hold::Loose,
    }
}

/// Numbers that have names.
const CONSTANTS: [(f32, &str); 2] = [(std::f32::consts::LN_2, "LN_2"), (std::f32::consts::LOG2_E, "LOG2_E")];

fn written_number(number: f32) -> Written {
    if number.is_infinite() {
        let text = if number > 0.0 { quote!(f32::INFINITY) } else { quote!(f32::NEG_INFINITY) };
        return (text, Hold::Atom);
    }
    if number == f32::MIN {
        return (quote!(f32::MIN), Hold::Atom);
    }
    if let Some((_, name)) = CONSTANTS.iter().find(|(constant, _)| *constant == number) {
        let name = ident(name);
        return (quote!(core::f32::consts::#name), Hold::Atom);
    }
    let literal = Literal::f32_unsuffixed(number.abs());
    if number < 0.0 { (quote!(-#literal), Hold::Unary) } else { (quote!(#literal), Hold::Atom) }
}

/// Whether a variable must not have this name.
fn is_reserved(name: &str) -> bool {
    matches!(name, "d" | "e" | "v" | "f" | "K" | "self" | "_") || is_operation(name)
}

/// Whether a name stands somewhere in the tokens.
pub fn uses(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(found) => found == name,
        TokenTree::Group(group) => uses(&group.stream(), name),
        _ => false,
    })
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
