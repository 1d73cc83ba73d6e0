//! How many vertices have which degree, drawn on logarithmic axes.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::facts::Facts;
use crate::error::CliError;

/// The size of the picture, in pixels.
const SIZE: (u32, u32) = (800, 560);
/// The size of a dot.
const DOT: i32 = 3;
/// The size of the title, and of all other text.
const TITLE: u32 = 20;
const TEXT: u32 = 14;

/// The points of a direction: degree and number of vertices.
type Points<'a> = &'a [(u32, u64)];

/// The plot as SVG.
///
/// # Errors
/// It cannot be drawn.
pub fn draw(facts: &Facts, name: &str) -> Result<String, CliError> {
    let mut picture = String::new();
    let root = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
    points(&root, facts, name).map_err(|error| CliError::Plot { reason: error.to_string() })?;
    drop(root);
    Ok(picture)
}

fn points<B: DrawingBackend>(
    root: &DrawingArea<B, Shift>,
    facts: &Facts,
    name: &str,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let series: [(&str, Points<'_>, RGBColor); 2] =
        [("edges in", &facts.in_degrees.counts, BLUE), ("edges out", &facts.out_degrees.counts, RED)];
    let (degrees, vertices) = extent(series.map(|series| series.1));
    root.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(root);
    builder.caption(name, ("sans-serif", TITLE)).margin(12).x_label_area_size(48).y_label_area_size(72);
    let mut chart = builder.build_cartesian_2d((1..degrees).log_scale(), (1..vertices).log_scale())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("edges of a vertex (vertices without any are left out)").y_desc("vertices");
    mesh.label_style(("sans-serif", TEXT)).light_line_style(WHITE).draw()?;
    for (label, points, color) in series {
        let dots =
            points.iter().filter(|point| point.0 > 0).map(|point| Circle::new(*point, DOT, color.mix(0.6).filled()));
        let dot = move |(x, y)| Circle::new((x + 8, y), DOT, color.filled());
        chart.draw_series(dots)?.label(label).legend(dot);
    }
    chart.configure_series_labels().label_font(("sans-serif", TEXT)).border_style(BLACK).draw()?;
    root.present()
}

/// Where the axes end: after the greatest degree, and after the greatest number of vertices.
fn extent(series: [Points<'_>; 2]) -> (u32, u64) {
    let points = || series.into_iter().flatten().filter(|point| point.0 > 0);
    let degrees = points().map(|point| point.0).max().unwrap_or(1);
    let vertices = points().map(|point| point.1).max().unwrap_or(1);
    (degrees.saturating_add(degrees / 4 + 1), vertices.saturating_add(vertices / 4 + 1))
}
