//! Learning curves, drawn as SVG: the loss above, and below it how much is right.

use onyx_gnn::error::GnnError;
use plotters::coord::Shift;
use plotters::prelude::*;

/// The size of the picture, in pixels.
const SIZE: (u32, u32) = (800, 640);
/// The size of the title, and of all other text.
const TITLE: u32 = 20;
const TEXT: u32 = 14;
/// The colors of the lines, one after the other.
const COLORS: [RGBColor; 3] = [BLUE, RED, GREEN];

/// A line: what it is called, and a value for each epoch, from the first.
pub struct Line {
    /// What it is called.
    pub name: &'static str,
    /// A value for each epoch; NaN for none.
    pub values: Vec<f32>,
}

/// Draws losses, and accuracies from 0 to 1 in percent.
///
/// # Errors
/// [`GnnError::Curve`] if they cannot be drawn.
pub fn picture(title: &str, loss: &Line, accuracies: &[Line]) -> Result<Vec<u8>, GnnError> {
    let mut picture = String::new();
    let root = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
    draw(&root, title, loss, accuracies).map_err(|error| GnnError::Curve { reason: error.to_string() })?;
    drop(root);
    Ok(picture.into_bytes())
}

fn draw<B: DrawingBackend>(
    root: &DrawingArea<B, Shift>,
    title: &str,
    loss: &Line,
    accuracies: &[Line],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    root.fill(&WHITE)?;
    let (above, below) = root.titled(title, ("sans-serif", TITLE))?.split_vertically(SIZE.1 / 2);
    chart(&above, "loss", std::slice::from_ref(loss), 1.0)?;
    chart(&below, "right, %", accuracies, 100.0)?;
    root.present()
}

/// Lines over epochs, their values multiplied by `factor`.
fn chart<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    what: &str,
    lines: &[Line],
    factor: f32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let (epochs, top) = extent(lines);
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).x_label_area_size(40).y_label_area_size(64);
    let mut chart = builder.build_cartesian_2d(1.0..epochs, 0.0..factor * top)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("epoch").y_desc(what).x_label_formatter(&|epoch| format!("{epoch:.0}"));
    mesh.label_style(("sans-serif", TEXT)).light_line_style(WHITE).draw()?;
    for (line, color) in lines.iter().zip(COLORS) {
        let points = line.values.iter().enumerate().filter(|(_, value)| value.is_finite());
        let points = points.map(|(epoch, value)| ((epoch + 1) as f32, factor * value));
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color);
        chart.draw_series(LineSeries::new(points, color))?.label(line.name).legend(sample);
    }
    chart.configure_series_labels().label_font(("sans-serif", TEXT)).border_style(BLACK).draw()
}

/// Where the axes end: at the last epoch, and above the greatest value.
fn extent(lines: &[Line]) -> (f32, f32) {
    let epochs = lines.iter().map(|line| line.values.len()).max().unwrap_or(0).max(2);
    let values = lines.iter().flat_map(|line| &line.values).filter(|value| value.is_finite());
    let top = values.fold(0.0_f32, |top, value| top.max(*value));
    (epochs as f32, if top > 0.0 { 1.05 * top } else { 1.0 })
}
