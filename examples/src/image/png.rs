//! PNG files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};

use super::error::ImageError;
use super::picture::Picture;

/// Reads a PNG picture with 8 bits a sample; palettes become colors, and finer samples are rounded.
///
/// `check` hears the width, the height and the channels before anything is allocated, and may refuse them.
///
/// # Errors
/// The file cannot be read or is no whole PNG file, or `check` refuses it.
pub fn read(path: &Path, check: impl FnOnce(u32, u32, usize) -> Result<(), ImageError>) -> Result<Picture, ImageError> {
    let file = File::open(path).map_err(|source| ImageError::Read { path: path.to_owned(), source })?;
    let broken = |error: png::DecodingError| ImageError::Decode { path: path.to_owned(), reason: error.to_string() };
    let mut decoder = Decoder::new(BufReader::new(file));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(broken)?;
    let (width, height) = reader.info().size();
    let channels = reader.output_color_type().0.samples();
    check(width, height, channels)?;
    let mut samples = vec![0; width as usize * height as usize * channels];
    let size = reader.output_buffer_size();
    if size != Some(samples.len()) {
        let reason = format!("{width} x {height} pixels do not take {size:?} bytes");
        return Err(ImageError::Decode { path: path.to_owned(), reason });
    }
    reader.next_frame(&mut samples).map_err(broken)?;
    Ok(Picture { width, height, channels, samples })
}

/// Writes a picture as PNG.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, picture: &Picture) -> Result<(), ImageError> {
    let failed = |reason: String| ImageError::Write { path: path.to_owned(), reason };
    let file = File::create(path).map_err(|error| failed(error.to_string()))?;
    let mut writer = BufWriter::new(file);
    encode(&mut writer, picture).map_err(|error| failed(error.to_string()))?;
    writer.flush().map_err(|error| failed(error.to_string()))
}

fn encode(writer: &mut impl Write, picture: &Picture) -> Result<(), png::EncodingError> {
    let mut encoder = Encoder::new(writer, picture.width, picture.height);
    encoder.set_color(match picture.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.samples)?;
    writer.finish()
}
