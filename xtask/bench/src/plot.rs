//! The plots, as SVG.

use std::error::Error as Cause;
use std::path::Path;

use plotters::prelude::*;

use crate::error::{Error, Result};
use crate::folding::Program;
use crate::record::{Group, VARIANTS};

type Drawn = std::result::Result<(), Box<dyn Cause>>;

const SIZE: (u32, u32) = (960, 420);
const FONT: (&str, u32) = ("sans-serif", 13);
/// One more than variants: the thesis has a bar as well.
const COLORS: [RGBColor; VARIANTS.len() + 1] = [
    RGBColor(120, 120, 120),
    RGBColor(148, 103, 189),
    RGBColor(31, 119, 180),
    RGBColor(255, 127, 14),
    RGBColor(140, 86, 75),
    RGBColor(44, 160, 44),
    RGBColor(214, 39, 40),
];

/// Bars in groups: a name for each group, and a value for each bar of it, if it was measured.
pub struct Bars<'a> {
    pub title: &'a str,
    pub unit: &'a str,
    pub legend: &'a [&'a str],
    pub groups: Vec<(String, Vec<Option<f64>>)>,
}

/// The variants that are shown of table 7.2, where they were measured.
const SHOWN: [&str; 5] = ["NFA-W/NCD", "FA/NCD", "NFA/CD", "NFA-W/CD", "FA/CD"];

/// The speedups of table 7.2 over NFA/NCD, ours and the thesis's, of one device, on the graphs of which the thesis has the kin.
pub fn speedups(path: &Path, device: &str, groups: &[&Group]) -> Result<()> {
    let is_measured = |variant: &&str| groups.iter().any(|group| group.of(variant).is_some());
    let shown: Vec<&str> = SHOWN.into_iter().filter(is_measured).collect();
    let is_of_thesis = |group: &&&Group| group.any().thesis_ms.is_some();
    let values = |group: &Group| {
        let thesis = group.of("FA/CD").and_then(|record| record.thesis_speedup);
        let ours = shown.iter().map(|variant| group.of(variant).map(|record| record.speedup));
        ours.chain([thesis]).collect()
    };
    let name = |group: &Group| format!("{} {}", group.any().algorithm, kind(&group.any().graph));
    let bars = Bars {
        title: &format!("Speedup over NFA/NCD, K = 4, {device}"),
        unit: "speedup",
        legend: &[&shown[..], &["FA/CD in the thesis, Tesla P4"]].concat(),
        groups: groups.iter().filter(is_of_thesis).map(|group| (name(group), values(group))).collect(),
    };
    draw(path, |path| bars.draw(path))
}

/// A graph's kind, or the name of its file.
fn kind(graph: &str) -> &str {
    let graph = graph.rsplit('/').next().unwrap_or(graph);
    graph.split(':').next().unwrap_or(graph)
}

/// The times of figure 7.4 as parts of those by hand.
pub fn folding(path: &Path, programs: &[Program]) -> Result<()> {
    let value = |program: &Program| {
        [program.unfolded, program.folded, program.by_hand].map(|time| Some(time / program.by_hand)).to_vec()
    };
    let name = |program: &Program| format!("{} {}", program.name, program.features);
    let bars = Bars {
        title: "Time of an iteration, by hand = 1; program and K",
        unit: "time / by hand",
        legend: &["unfolded", "folded", "by hand"],
        groups: programs.iter().map(|program| (name(program), value(program))).collect(),
    };
    draw(path, |path| bars.draw(path))
}

/// The times of figure 7.3 by feature count, both axes logarithmic.
pub fn features(path: &Path, title: &str, groups: &[&Group]) -> Result<()> {
    draw(path, |path| lines(path, title, groups))
}

fn draw(path: &Path, drawing: impl FnOnce(&Path) -> Drawn) -> Result<()> {
    drawing(path).map_err(|error| Error::Plot { what: path.display().to_string(), reason: error.to_string() })
}

impl Bars<'_> {
    fn draw(&self, path: &Path) -> Drawn {
        let area = SVGBackend::new(path, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let values = self.groups.iter().flat_map(|(_, values)| values).flatten();
        let most = values.fold(1.0_f64, |most, value| most.max(*value));
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, FONT)
            .margin(8)
            .x_label_area_size(28)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..self.groups.len() as f64, 0.0..most * 1.1)?;
        chart.configure_mesh().disable_x_mesh().disable_x_axis().y_desc(self.unit).draw()?;
        for (bar, label) in self.legend.iter().enumerate() {
            let color = COLORS[bar + 1];
            let bars = chart.draw_series(self.rectangles(bar, color))?;
            bars.label(*label).legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], color.filled()));
        }
        let names = self.groups.iter().enumerate().map(|(group, (name, _))| {
            // About half of the width of the text to the left of the middle.
            EmptyElement::at((group as f64 + 0.5, 0.0)) + Text::new(name.clone(), (-3 * name.len() as i32, 8), FONT)
        });
        chart.draw_series(names)?;
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
        Ok(area.present()?)
    }

    /// The bars of one color.
    fn rectangles(&self, bar: usize, color: RGBColor) -> Vec<Rectangle<(f64, f64)>> {
        let width = 0.8 / self.legend.len() as f64;
        let value = |(group, (_, values)): (usize, &(String, Vec<Option<f64>>))| {
            let left = group as f64 + 0.1 + bar as f64 * width;
            values[bar].map(|value| Rectangle::new([(left, 0.0), (left + 0.95 * width, value)], color.filled()))
        };
        self.groups.iter().enumerate().filter_map(value).collect()
    }
}

fn lines(path: &Path, title: &str, groups: &[&Group]) -> Drawn {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let times = || groups.iter().flat_map(|group| group.variants.iter().flatten()).map(|record| record.median_ms);
    let (least, most) = times().fold((f64::MAX, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
    let widest = groups.iter().map(|group| group.any().features).max().unwrap_or(1);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, FONT)
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(60)
        .build_cartesian_2d((1.0..f64::from(widest) * 1.1).log_scale(), (least * 0.8..most * 1.2).log_scale())?;
    chart.configure_mesh().x_desc("features").y_desc("ms").draw()?;
    for (index, variant) in VARIANTS.iter().enumerate() {
        let color = COLORS[index];
        let point = |group: &&Group| {
            group.variants[index].as_ref().map(|record| (f64::from(record.features), record.median_ms))
        };
        let points: Vec<_> = groups.iter().filter_map(point).collect();
        if points.is_empty() {
            continue;
        }
        let series = chart.draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?;
        series.label(*variant).legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], color.stroke_width(2)));
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    Ok(area.present()?)
}
