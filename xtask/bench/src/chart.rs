//! Bars with names, as SVG.

use std::error::Error as Cause;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::{Error, Result};

const WIDTH: u32 = 960;
/// Height of a bar with the space around it, and of title and axis together.
const BAR: u32 = 18;
const FRAME: u32 = 84;
/// Room for the names.
const NAMES: u32 = 380;
const FONT: (&str, u32) = ("sans-serif", 12);
const TITLE: (&str, u32) = ("sans-serif", 15);
const AHEAD: RGBColor = RGBColor(31, 119, 180);
const BEHIND: RGBColor = RGBColor(214, 39, 40);

/// A bar for each value.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    /// What the axis says.
    pub axis: String,
    pub bars: Vec<(String, f64)>,
    /// Bars that end left of this are red, and where there is one, bars begin at it, on a logarithmic axis.
    pub line: Option<f64>,
}

impl Chart {
    /// The SVG.
    pub fn svg(&self) -> Result<String> {
        let mut text = String::new();
        let refuse = |error: Box<dyn Cause>| Error::Plot { what: self.title.clone(), reason: error.to_string() };
        let size = (WIDTH, BAR * self.bars.len() as u32 + FRAME);
        {
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            self.draw(&area).map_err(refuse)?;
        }
        Ok(text)
    }

    /// Draws in the logarithms of values where there is a line, so that as much ahead is as long as as much behind.
    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    ) -> std::result::Result<(), Box<dyn Cause>> {
        area.fill(&WHITE)?;
        let count = self.bars.len() as f64;
        let (least, most) = self.range();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, TITLE)
            .margin(10)
            .margin_right(40)
            .x_label_area_size(36)
            .y_label_area_size(NAMES)
            .build_cartesian_2d(least..most, 0.0..count)?;
        let label = |place: &f64| self.label(*place);
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh()
            .disable_y_axis()
            .max_light_lines(1)
            .x_labels(8)
            .x_label_formatter(&label)
            .x_desc(&self.axis)
            .draw()?;
        let names = TextStyle::from(FONT).pos(Pos::new(HPos::Right, VPos::Center));
        let places = self.bars.iter().enumerate().map(|(index, bar)| (count - index as f64 - 0.5, bar));
        for (middle, (name, value)) in places {
            let color = if self.line.is_some_and(|line| *value < line) { BEHIND } else { AHEAD };
            let ends = [(self.start(), middle - 0.38), (self.place(*value), middle + 0.38)];
            chart.draw_series([Rectangle::new(ends, color.filled())])?;
            let label = Text::new(name.clone(), (-8, 0), names.clone());
            chart.draw_series([EmptyElement::at((least, middle)) + label])?;
        }
        if self.line.is_some() {
            let ends = [(self.start(), 0.0), (self.start(), count)];
            chart.draw_series([PathElement::new(ends, BLACK.stroke_width(1))])?;
        }
        Ok(area.present()?)
    }

    /// Where a value is on the axis.
    fn place(&self, value: f64) -> f64 {
        if self.line.is_some() { value.log2() } else { value }
    }

    fn start(&self) -> f64 {
        self.line.map_or(0.0, f64::log2)
    }

    fn label(&self, place: f64) -> String {
        if self.line.is_some() { format!("{:.2}", place.exp2()) } else { format!("{place:.0}") }
    }

    /// From the least to the greatest place with some room; at least from a half to twice the line.
    fn range(&self) -> (f64, f64) {
        let (low, high) = if self.line.is_some() { (self.start() - 1.0, self.start() + 1.0) } else { (0.0, 0.0) };
        let places = self.bars.iter().map(|(_, value)| self.place(*value));
        let (least, most) = places.fold((low, high), |(least, most), place| (least.min(place), most.max(place)));
        (least, most + 0.04 * (most - least))
    }
}

#[cfg(test)]
mod tests {
    use super::Chart;

    fn chart(line: Option<f64>) -> Chart {
        let bars = vec![("ahead".to_owned(), 2.0), ("behind".to_owned(), 0.5)];
        Chart { title: "title".to_owned(), axis: "axis".to_owned(), bars, line }
    }

    #[test]
    fn bars_are_drawn_with_their_names() {
        let text = chart(Some(1.0)).svg().unwrap();
        for part in ["<svg", "title", "axis", "ahead", "behind", "#1F77B4", "#D62728"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!chart(None).svg().unwrap().contains("#D62728"), "nothing is behind without a line");
    }

    #[test]
    fn the_same_values_give_the_same_text() {
        assert_eq!(chart(Some(1.0)).svg().unwrap(), chart(Some(1.0)).svg().unwrap());
    }
}
