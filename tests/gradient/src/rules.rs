//! Every operation with a derivative, in functions of one vertex.

use onyx_device::prelude::*;

/// Two rows and a scalar, and what comes of them.
#[graph_data]
pub struct Rules<const K: usize> {
    pub x: VertexFeatures<K>,
    pub y: VertexFeatures<K>,
    pub size: VertexScalar,
    pub kind: VertexScalar,
    pub mixer: GraphMatrix<K>,
    pub out: VertexFeatures<K>,
    pub total: VertexScalar,
    pub x_gradient: VertexFeatures<K>,
    pub y_gradient: VertexFeatures<K>,
    pub size_gradient: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
    pub total_gradient: VertexScalar,
}

#[vertex_fn]
pub fn elementary<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, y) = (d.x[v][f], d.y[v][f]);
    let (sine, cosine) = x.sin_cos();
    let roots = y.sqrt() + y.ln() + y.log2() + y.recip();
    let powers = x.exp() + x.exp2() + x.powi(3) + y.powf(1.5) + y.powf(x);
    let angles = sine * cosine + x.tan() + x.tanh() + x.cos() + x.sin() + x.to_radians();
    d.out[v][f] = roots / powers + angles - x.mul_add(y, 2.0) + x.fract() * y.floor();
    true
}

#[vertex_fn]
pub fn kinks<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, y) = (d.x[v][f], d.y[v][f]);
    let mut out = x.abs() + x.max(y) * 2.0 - f32::min(x, 0.25) + x.clamp(-0.5, 0.75);
    if x > 0.25 && y < 1.5 {
        out *= x;
    } else if x < -0.5 {
        out -= y * d.size[v];
    }
    d.out[v][f] = match d.kind[v] as u32 {
        0 => out,
        1 | 2 => out * out,
        _ => {
            let part = out / (1.0 + y);
            part * d.size[v]
        }
    };
    true
}

#[vertex_fn]
pub fn together<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, y) = (d.x[v][f], d.y[v][f]);
    let shares = softmax(x * d.size[v]) * normalize(y);
    let level = log_sum_exp(x + y) + norm2(x) * dot(x, y) + max(x) * min(y);
    let first = broadcast(x, 1);
    let mixed = matvec(d.mixer[f], x) + transpose_matvec(d.mixer[f], y);
    d.total[v] = level * d.size[v] + sum(x * x) / K as f32;
    d.out[v][f] = shares + level * first + mixed * d.total[v];
    true
}

#[vertex_fn]
pub fn weighed<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, y, size) = (d.x[v][f], d.y[v][f], d.size[v]);
    let system = size * outer(x, x) / (1.0 + dot(x, x)) + diagonal(y);
    let less = outer(x, 0.25 * x);
    let system = if d.kind[v] > 1.0 { system - less } else { system };
    let inverted = inverse(system);
    d.total[v] = product(x + y);
    d.out[v][f] = matvec(inverted, x) + matvec(diagonal(x * y), y) + matvec(d.mixer[f] * x / (y * size), y);
    true
}

#[vertex_fn]
pub fn held<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    if d.kind[v] > 2.0 {
        d.out[v][f] = d.y[v][f] * d.x[v][f];
        return true;
    }
    d.out[v][f] = d.x[v][f] * constant(d.x[v][f]) + (d.x[v][f] > 0.0) as u32 as f32 * d.y[v][f];
    true
}

#[vertex_fn]
pub fn guarded<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, y) = (d.x[v][f], d.y[v][f]);
    let is_great = y > 1.5;
    d.out[v][f] = match d.kind[v] as u32 {
        0 if is_great => x * y,
        n if n > 2 && d.size[v] < 0.45 => x * n as f32,
        0..=2 => y * y * d.size[v],
        _ => x * x,
    };
    d.out[v][f] += match (x * d.size[v], d.kind[v] as u32) {
        (part, 1) => part * part,
        (part, _) => part * y,
    };
    let more = (d.kind[v] as u32).checked_sub(1);
    if let Some(n) = more
        && let part = x * y
        && part > 0.0
    {
        d.out[v][f] += part * part * n as f32;
    }
    true
}

#[vertex_fn]
pub fn powers<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    d.out[v][f] = d.x[v][f].powi(d.kind[v] as i32) + d.x[v][f].powf(d.y[v][f]);
    true
}

/// What `y + y * y * y` is `x` of, by Newton's method: no rule goes through its turns.
pub fn rooted(x: f32) -> f32 {
    let mut y = x;
    for _ in 0..8 {
        y -= (y + y * y * y - x) / (1.0 + 3.0 * y * y);
    }
    y
}

/// The derivative of [`rooted`], which its value alone decides.
pub fn rooted_slope(x: f32) -> f32 {
    let y = rooted(x);
    1.0 / (1.0 + 3.0 * y * y)
}

/// `size * x^power`
pub fn grown(size: f32, power: u32, x: f32) -> f32 {
    (0..power).fold(size, |product, _| product * x)
}

/// The derivatives of [`grown`]; an integer has none.
pub fn grown_slopes(size: f32, power: u32, x: f32) -> [f32; 3] {
    [grown(1.0, power, x), 0.0, if power == 0 { 0.0 } else { power as f32 * grown(size, power - 1, x) }]
}

#[vertex_fn]
pub fn called<const K: usize>(f: Feature, v: Vertex, d: &mut Rules<K>) -> bool {
    let (x, kind) = (d.x[v][f], d.kind[v] as u32);
    let level = grown(norm2(x), kind, d.y[v][f]);
    d.total[v] = sum(x) * rooted(d.size[v]);
    d.out[v][f] = if kind > 2 { rooted(level * x) } else { level + rooted(3.0 * x) };
    true
}

foldmap! { pub elementary_fold<const K: usize>(Rules<K>) = [elementary]; features = [4]; gradient = [x, y] }
foldmap! { pub kinks_fold<const K: usize>(Rules<K>) = [kinks]; features = [4]; gradient = [x, y, size] }
foldmap! { pub together_fold<const K: usize>(Rules<K>) = [together]; features = [4]; gradient = [x, y, size] }
foldmap! { pub weighed_fold<const K: usize>(Rules<K>) = [weighed]; features = [4]; gradient = [x, y, size] }
foldmap! { pub held_fold<const K: usize>(Rules<K>) = [held]; features = [4]; gradient = [x, y] }
foldmap! { pub guarded_fold<const K: usize>(Rules<K>) = [guarded]; features = [4]; gradient = [x, y, size] }
foldmap! { pub powers_fold<const K: usize>(Rules<K>) = [powers]; features = [4]; gradient = [x, y] }
foldmap! {
    pub called_fold<const K: usize>(Rules<K>) = [called]; features = [4]; gradient = [x, y, size];
    derivative = [rooted = rooted_slope, grown = grown_slopes]
}
