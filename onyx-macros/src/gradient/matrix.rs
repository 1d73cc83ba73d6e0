//! The derivatives of what makes and takes matrices. No operation multiplies two of them: an adjoint that is a sum of outer products goes through `diagonal`,
//! `inverse` and factors by the vectors of each product.

use crate::gradient::rule::Share;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Choice, Id, Operator, Step};
use crate::message::{self, GRADIENT_SCALE};

/// The vectors of outer products whose sum a matrix is.
type Products = Vec<(Id, Id)>;

/// The share of a matrix: an outer product.
pub fn of_matrix(tape: &mut Tape, rows: Id, columns: Id) -> Share {
    (0, tape.operation("outer", vec![rows, columns], true))
}

/// The share of argument number `number`, a vector: a matrix times another one.
pub fn of_vector(tape: &mut Tape, by: &str, number: usize, matrix: Id, vector: Id) -> Share {
    (number, tape.operation(by, vec![matrix, vector], true))
}

/// Of the solution of a symmetric system: the right side has the solution for the adjoint, the matrix the outer product of both.
pub fn solution(tape: &mut Tape, g: Id, value: Id, matrix: Id) -> Vec<Share> {
    let right = tape.operation("solve", vec![matrix, g], true);
    let product = tape.operation("outer", vec![right, value], true);
    vec![(0, tape.negate(product)), (1, right)]
}

/// Of a matrix with a vector on its diagonal: the vector has the diagonal of the adjoint.
pub fn diagonal(tape: &mut Tape, g: Id) -> Result<Vec<Share>, String> {
    let products = products(tape, g).ok_or_else(|| message::gradient_of_matrix("diagonal"))?;
    let parts = products.into_iter().map(|(a, b)| tape.multiply(a, b)).collect::<Vec<Id>>();
    Ok(vec![(0, sum(tape, parts))])
}

/// Of the inverse of a symmetric matrix: the adjoint between two inverses, negative.
pub fn inverse(tape: &mut Tape, g: Id, value: Id, matrix: Id) -> Result<Vec<Share>, String> {
    let products = products(tape, g).ok_or_else(|| message::gradient_of_matrix("inverse"))?;
    let mut total = tape.zero(matrix);
    for (number, (a, b)) in products.into_iter().enumerate() {
        let [a, b] = [a, b].map(|vector| tape.operation("matvec", vec![value, vector], true));
        let product = tape.operation("outer", vec![a, b], true);
        let product = tape.negate(product);
        total = if number == 0 { product } else { tape.add(total, product) };
    }
    Ok(vec![(0, total)])
}

/// Whether a float that varies multiplies or divides the row of a matrix.
pub fn is_scaled(tape: &Tape, a: &[Id]) -> bool {
    let is_scale = |own: Id, other: Id| tape.varies(own) && !tape.is_matrix(own) && tape.is_matrix(other);
    is_scale(a[0], a[1]) || is_scale(a[1], a[0])
}

/// Of a row that is multiplied by a float: the float has the product of the row and its adjoint.
pub fn scaled(tape: &mut Tape, g: Id, a: &[Id]) -> Result<Vec<Share>, String> {
    let (row, scale) = if tape.is_matrix(a[0]) { (0, 1) } else { (1, 0) };
    let share = dot(tape, g, a[row]).ok_or_else(|| GRADIENT_SCALE.to_owned())?;
    Ok(vec![(row, tape.multiply(g, a[scale])), (scale, share)])
}

/// The same, of one that is divided.
pub fn divided(tape: &mut Tape, g: Id, value: Id, a: &[Id]) -> Result<Vec<Share>, String> {
    let share = dot(tape, g, value).ok_or_else(|| GRADIENT_SCALE.to_owned())?;
    let share = tape.divide(share, a[1]);
    Ok(vec![(0, tape.divide(g, a[1])), (1, tape.negate(share))])
}

/// The sum over the floats of a row of their products with those of another row, one of which is made of outer products.
fn dot(tape: &mut Tape, g: Id, row: Id) -> Option<Id> {
    let (products, other) = match products(tape, g) {
        Some(products) => (products, row),
        None => (products(tape, row)?, g),
    };
    let mut part = |(a, b)| {
        let taken = tape.operation("matvec", vec![other, b], true);
        tape.multiply(a, taken)
    };
    let parts = products.into_iter().map(&mut part).collect::<Vec<Id>>();
    Some(sum(tape, parts))
}

fn sum(tape: &mut Tape, parts: Vec<Id>) -> Id {
    let first = tape.number(0.0);
    parts.into_iter().fold(first, |total, part| tape.add(total, part))
}

/// The outer products whose sum a matrix is, if it is one as far as the steps before say.
fn products(tape: &mut Tape, matrix: Id) -> Option<Products> {
    products_in(tape, &[], matrix)
}

/// The same, where the matrix may come of the steps of a block. What is computed there is not there outside, but for the vectors: `outer` stands in no branch.
fn products_in(tape: &mut Tape, block: &[Step], matrix: Id) -> Option<Products> {
    let step = block.iter().chain(&tape.steps).chain(&tape.reads).find(|step| step.id == matrix)?.clone();
    let a = &step.arguments;
    let of = |tape: &mut Tape, number: usize| products_in(tape, block, a[number]);
    let is_inside = |id: Id| block.iter().any(|step| step.id == id);
    match &step.operator {
        Operator::Operation(name) if name == "outer" => Some(vec![(a[0], a[1])]),
        Operator::Negate => Some(each(of(tape, 0)?, |first| tape.negate(first))),
        Operator::Add => Some([of(tape, 0)?, of(tape, 1)?].concat()),
        Operator::Subtract => {
            let (first, second) = (of(tape, 0)?, of(tape, 1)?);
            Some([first, each(second, |second| tape.negate(second))].concat())
        }
        Operator::Multiply | Operator::Divide => {
            let (row, scale) = if tape.is_matrix(a[0]) { (0, 1) } else { (1, 0) };
            let products = of(tape, row).filter(|_| !is_inside(a[scale]))?;
            let is_product = matches!(step.operator, Operator::Multiply);
            Some(each(
                products,
                |first| if is_product { tape.multiply(first, a[scale]) } else { tape.divide(first, a[scale]) },
            ))
        }
        Operator::Choice(choice) if !is_inside(a[0]) => chosen(tape, block, (a[0], choice)),
        // A row of zeros.
        Operator::Code(_) if a.is_empty() => Some(Vec::new()),
        _ => None,
    }
}

fn each(products: Products, mut of: impl FnMut(Id) -> Id) -> Products {
    products.into_iter().map(|(first, second)| (of(first), second)).collect()
}

/// Those of a choice: each counts where it is chosen.
fn chosen(tape: &mut Tape, outside: &[Step], (which, choice): (Id, &Choice)) -> Option<Products> {
    let mut all = Vec::new();
    for (own, block) in choice.blocks.iter().enumerate() {
        let steps = [outside, &block.steps].concat();
        for (first, second) in products_in(tape, &steps, block.result)? {
            let mut masked = choice.clone();
            let zero = tape.number(0.0);
            for (at, block) in masked.blocks.iter_mut().enumerate() {
                block.steps.clear();
                block.result = if at == own { first } else { zero };
            }
            all.push((tape.choose(which, masked), second));
        }
    }
    Some(all)
}
