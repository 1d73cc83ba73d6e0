//! A picture to try: an evening by a lake, drawn by a few formulas; and noise to put on it.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::picture::Picture;
use onyx_examples::markov::generate::normal;

/// A color, each part between 0 and 1.
type Color = [f64; 3];

const SKY: [Color; 2] = [[0.16, 0.24, 0.52], [0.98, 0.66, 0.42]];
const SUN: Color = [1.0, 0.93, 0.70];
const FAR: Color = [0.42, 0.36, 0.55];
const NEAR: Color = [0.20, 0.24, 0.32];
const TREE: Color = [0.06, 0.13, 0.11];
/// The height of the shore, from the top.
const SHORE: f64 = 0.66;

/// The scene, `width` x `height` pixels in color.
pub fn draw(width: u32, height: u32) -> Picture {
    let place = |x: u32, y: u32| (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let samples = pixels.flat_map(|(x, y)| {
        let (x, y) = place(x, y);
        color(x, y).map(|part| (part * 255.0).round().clamp(0.0, 255.0) as u8)
    });
    Picture { width, height, channels: 3, samples: samples.collect() }
}

/// The color at a place, both coordinates between 0 and 1, from the upper left.
fn color(x: f64, y: f64) -> Color {
    if is_tree(x, y) {
        return TREE;
    }
    if y < SHORE {
        return land(x, y);
    }
    // The lake mirrors what is above it, in ripples, darker towards the viewer.
    let depth = (y - SHORE) / (1.0 - SHORE);
    let ripple = 0.012 * depth * (90.0 * y).sin();
    mix(land(x + ripple, SHORE - depth * 0.62), [0.05, 0.09, 0.18], 0.25 + 0.4 * depth)
}

/// Hills before the sky and the sun.
fn land(x: f64, y: f64) -> Color {
    let near = 0.585 + 0.05 * (5.0 * x + 2.2).sin() + 0.012 * (17.0 * x).sin();
    let far = 0.47 + 0.07 * (4.2 * x).sin() + 0.03 * (11.0 * x + 1.0).sin();
    let sun = ((x - 0.68).powi(2) * 1.8 + (y - 0.30).powi(2)).sqrt();
    match () {
        () if y > near => mix(NEAR, TREE, (y - near) * 3.0),
        () if y > far => mix(FAR, NEAR, (y - far) * 2.5),
        () if sun < 0.075 => SUN,
        () => mix(mix(SKY[0], SKY[1], (y / 0.55).min(1.0)), SUN, 0.6 * (-9.0 * (sun - 0.075)).exp()),
    }
}

/// Three firs on the left.
fn is_tree(x: f64, y: f64) -> bool {
    let fir = |(middle, top, foot): (f64, f64, f64)| {
        let share = (y - top) / (foot - top);
        let branch = 0.6 + 0.4 * (share * 7.0).fract();
        (0.0..1.0).contains(&share) && (x - middle).abs() < 0.085 * share * branch
    };
    [(0.12, 0.22, 0.74), (0.25, 0.36, 0.76), (0.03, 0.42, 0.72)].into_iter().any(fir)
}

fn mix(one: Color, other: Color, share: f64) -> Color {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|part| one[part] * (1.0 - share) + other[part] * share)
}

/// Adds normal noise of a standard deviation, in steps of 1 of 255, to the colors.
pub fn with_noise(picture: &Picture, deviation: f64, seed: u64) -> Picture {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let noisy = |sample: u8| (f64::from(sample) + deviation * normal(&mut random)).round().clamp(0.0, 255.0) as u8;
    let planes: Vec<u8> = picture.planes().into_iter().map(noisy).collect();
    picture.with_planes(&planes)
}
