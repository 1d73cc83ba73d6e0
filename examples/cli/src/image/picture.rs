//! A picture in memory.

/// A picture of 8-bit samples: `samples[(y * width + x) * channels + channel]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Grey, grey and opacity, red green blue, or these and opacity.
    pub channels: usize,
    /// Row after row, from the top.
    pub samples: Vec<u8>,
}

impl Picture {
    /// The number of pixels.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The number of channels that are a color; one more is opacity.
    pub fn colors(&self) -> usize {
        colors(self.channels)
    }

    /// One channel, pixel after pixel.
    pub fn plane(&self, channel: usize) -> impl Iterator<Item = u8> {
        self.samples.iter().skip(channel).step_by(self.channels).copied()
    }

    /// The colors, one channel after the other, as a network's variables are numbered.
    pub fn planes(&self) -> Vec<u8> {
        (0..self.colors()).flat_map(|channel| self.plane(channel)).collect()
    }

    /// The picture with other colors and the same opacity.
    ///
    /// # Panics
    /// `planes` is shorter than the colors.
    pub fn with_planes(&self, planes: &[u8]) -> Self {
        let mut picture = self.clone();
        for (pixel, samples) in picture.samples.chunks_exact_mut(self.channels).enumerate() {
            let colors = samples.iter_mut().take(self.colors()).enumerate();
            colors.for_each(|(channel, sample)| *sample = planes[channel * self.pixels() + pixel]);
        }
        picture
    }

    /// The peak signal-to-noise ratio to another picture of this shape, in decibels over all colors; infinite if they are equal.
    pub fn peak_ratio(&self, other: &Self) -> f64 {
        let (planes, others) = (self.planes(), other.planes());
        let squares = planes.iter().zip(&others).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
        let mean = squares.sum::<f64>() / planes.len() as f64;
        10.0 * (255.0f64.powi(2) / mean).log10()
    }
}

/// How many of so many channels are a color: opacity makes their number even.
pub fn colors(channels: usize) -> usize {
    if channels.is_multiple_of(2) { channels - 1 } else { channels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        Picture { width: 2, height: 1, channels: 4, samples: vec![1, 2, 3, 4, 5, 6, 7, 8] }
    }

    #[test]
    fn planes_leave_opacity_out_and_come_back() {
        let picture = picture();
        assert_eq!(picture.planes(), [1, 5, 2, 6, 3, 7]);
        assert_eq!(picture.with_planes(&picture.planes()), picture);
        assert_eq!(picture.with_planes(&[0; 6]).samples, [0, 0, 0, 4, 0, 0, 0, 8]);
    }

    #[test]
    fn the_ratio_is_of_the_mean_square() {
        let picture = picture();
        assert_eq!(picture.peak_ratio(&picture), f64::INFINITY);
        let other = picture.with_planes(&[2, 4, 3, 5, 2, 6]);
        assert!((picture.peak_ratio(&other) - 20.0 * 255.0f64.log10()).abs() < 1e-12);
    }
}
