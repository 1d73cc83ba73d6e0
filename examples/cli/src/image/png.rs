//! PNG files.

use std::io::{self, Cursor, Write};
use std::path::Path;

use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;
use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};

use super::error::ImageError;
use super::picture::Picture;

/// Reads a PNG picture with 8 bits a sample; palettes become colors, and of finer samples the upper 8 bits count. The file is read as any other
/// is: it may be gzip-compressed, or standard input.
///
/// `check` hears the width, the height and the channels before anything is allocated for them, and may refuse them.
///
/// # Errors
/// The file cannot be read or is no whole PNG file, or `check` refuses it.
pub fn read(path: &Path, check: impl FnOnce(u32, u32, usize) -> Result<(), ImageError>) -> Result<Picture, ImageError> {
    let file = Text::open(path, UNWATCHED)?;
    let broken = |error: png::DecodingError| ImageError::Decode { path: path.to_owned(), reason: error.to_string() };
    let mut decoder = Decoder::new(Cursor::new(file.bytes()));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let header = decoder.read_header_info().map_err(broken)?;
    let (width, height) = header.size();
    check(width, height, if header.color_type == ColorType::Indexed { 3 } else { header.color_type.samples() })?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let channels = reader.output_color_type().0.samples();
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
/// The writer's.
pub fn write(writer: &mut (impl Write + ?Sized), picture: &Picture) -> io::Result<()> {
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
    Ok(writer.finish()?)
}
