//! Pictures as models can take them.

use std::io::Cursor;

use image::{DynamicImage, codecs::jpeg::JpegEncoder, imageops::FilterType};

/// The largest picture that models take, in pixels of a side and in bytes.
const LONGEST_SIDE: u32 = 8_000;
const MOST_BYTES: usize = 1_500_000;

/// How good a picture is that was made smaller.
const QUALITY: u8 = 80;

/// A picture for a model.
pub struct ForModels {
    /// The picture itself.
    pub bytes: Vec<u8>,
    /// What it is.
    pub mime_type: &'static str,
    /// Its size, if it is not the one that was taken.
    pub made_smaller: Option<[u32; 2]>,
}

/// The largest picture that models see in full: what is larger they are shown smaller, and then they count other pixels.
const LONGEST_SEEN: u32 = 1_568;
const MOST_SEEN: u64 = 1_150_000;

/// The size at which models see a picture of this size in full.
fn seen_size(width: u32, height: u32) -> [u32; 2] {
    let (wide, high) = (f64::from(width), f64::from(height));
    let by_side = f64::from(LONGEST_SEEN) / wide.max(high).max(1.0);
    let by_area = (MOST_SEEN as f64 / (wide * high).max(1.0)).sqrt();
    let part = by_side.min(by_area).min(1.0);
    [wide, high].map(|side| ((side * part).floor() as u32).max(1))
}

/// A picture as models see it in full: in the size of [`seen_size`] unless `is_whole_page`, since nobody could read that, and as small as
/// [`for_models`] makes it. Its size comes with it, and its format.
pub(crate) fn fitted(
    bytes: Vec<u8>,
    mime_type: &'static str,
    size: [u32; 2],
    is_whole_page: bool,
) -> ForModels {
    let seen = if is_whole_page { size } else { seen_size(size[0], size[1]) };
    let smaller = (seen != size).then(|| resized(&bytes, mime_type, seen)).flatten();
    let is_smaller = smaller.is_some();
    let fitted = for_models(smaller.unwrap_or(bytes), mime_type);
    let made_smaller = fitted.made_smaller.or(is_smaller.then_some(seen));
    ForModels { made_smaller, ..fitted }
}

/// A picture in another size; none if it cannot be read.
fn resized(bytes: &[u8], mime_type: &str, [width, height]: [u32; 2]) -> Option<Vec<u8>> {
    let picture = image::load_from_memory(bytes).ok()?.resize_exact(width, height, FilterType::Triangle);
    let mut resized = Vec::new();
    match mime_type {
        "image/jpeg" => {
            let picture = DynamicImage::ImageRgb8(picture.into_rgb8());
            picture.write_with_encoder(JpegEncoder::new_with_quality(&mut resized, QUALITY)).ok()?;
        }
        _ => picture.write_to(&mut Cursor::new(&mut resized), image::ImageFormat::Png).ok()?,
    }
    Some(resized)
}

/// The picture as it is, or a smaller one if models could not take it.
pub fn for_models(bytes: Vec<u8>, mime_type: &'static str) -> ForModels {
    let as_it_is = |bytes| ForModels { bytes, mime_type, made_smaller: None };
    let size = image::ImageReader::new(Cursor::new(&bytes)).with_guessed_format().ok();
    let size = size.and_then(|reader| reader.into_dimensions().ok()).unwrap_or_default();
    if bytes.len() <= MOST_BYTES && size.0.max(size.1) <= LONGEST_SIDE {
        return as_it_is(bytes);
    }
    match image::load_from_memory(&bytes).ok().and_then(smaller) {
        Some(smaller) => smaller,
        None => as_it_is(bytes),
    }
}

fn smaller(picture: DynamicImage) -> Option<ForModels> {
    let mut picture = DynamicImage::ImageRgb8(picture.into_rgb8());
    let (width, height) = (picture.width(), picture.height());
    if width.max(height) > LONGEST_SIDE {
        picture = picture.resize(width.min(LONGEST_SIDE), height.min(LONGEST_SIDE), FilterType::Triangle);
    }
    loop {
        let mut bytes = Vec::new();
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY)).ok()?;
        let (width, height) = (picture.width(), picture.height());
        if bytes.len() <= MOST_BYTES || width.min(height) < 16 {
            return Some(ForModels { bytes, mime_type: "image/jpeg", made_smaller: Some([width, height]) });
        }
        picture = picture.resize(width * 3 / 4, height * 3 / 4, FilterType::Triangle);
    }
}

#[cfg(test)]
mod tests {
    use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

    use super::*;

    fn png(width: u32, height: u32, dot: impl Fn(usize) -> u8) -> Vec<u8> {
        let dots: Vec<u8> = (0..(width * height * 3) as usize).map(dot).collect();
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(&dots, width, height, ExtendedColorType::Rgb8).unwrap();
        bytes
    }

    #[test]
    fn what_models_see_in_full() {
        let check = |width, height, expected| assert_eq!(seen_size(width, height), expected);
        check(1280, 720, [1280, 720]);
        check(1600, 1200, [1238, 928]);
        check(3136, 10, [1568, 5]);
        check(0, 0, [1, 1]);
        let fitted = fitted(png(1_700, 20, |_| 7), "image/png", [1_700, 20], false);
        assert_eq!((fitted.mime_type, fitted.made_smaller), ("image/png", Some([1_568, 18])));
    }

    #[test]
    fn only_what_is_too_large_is_made_smaller() {
        let small = png(40, 30, |_| 7);
        let told = for_models(small.clone(), "image/png");
        assert_eq!((told.bytes, told.mime_type, told.made_smaller), (small, "image/png", None));
        let tall = for_models(png(100, 16_000, |_| 7), "image/png");
        assert_eq!((tall.mime_type, tall.made_smaller), ("image/jpeg", Some([50, 8_000])));
        // Noise cannot be packed.
        let noise =
            for_models(png(1_500, 1_000, |at| (at.wrapping_mul(2_654_435_761) >> 11) as u8), "image/png");
        assert!(noise.bytes.len() <= MOST_BYTES && noise.made_smaller.is_some());
        let broken = for_models(vec![0; MOST_BYTES + 1], "image/png");
        assert!(broken.made_smaller.is_none(), "what cannot be read is left alone");
    }
}
