//! Numbers over the elements of a picture, drawn into the picture: the page itself is not touched.

use std::io::Cursor;

use contract::{Code, Error, Label, Result};
use image::{
    ExtendedColorType, ImageEncoder, Rgb, RgbImage,
    codecs::{
        jpeg::JpegEncoder,
        png::{CompressionType, FilterType, PngEncoder},
    },
};

/// The digits, five pixels wide and seven high; a row a byte, the left pixel in its highest of five bits.
const DIGITS: [[u8; 7]; 10] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];
/// How large each of its pixels is drawn: models see pictures made smaller.
const DOT: i32 = 2;
const WIDTH: i32 = 6 * DOT;
const HEIGHT: i32 = 8 * DOT;

/// Colours that white digits can be read on; neighbours get different ones.
const COLOURS: [Rgb<u8>; 6] = [
    Rgb([204, 0, 0]),
    Rgb([0, 92, 204]),
    Rgb([0, 122, 51]),
    Rgb([153, 0, 153]),
    Rgb([179, 89, 0]),
    Rgb([0, 115, 115]),
];
const WHITE: Rgb<u8> = Rgb([255, 255, 255]);

/// Draws the boxes of the labels, which are in CSS pixels from the picture's corner, and returns the picture as PNG or JPEG.
pub(crate) fn draw(
    picture: &[u8],
    labels: &[Label],
    scale: f64,
    jpeg_quality: Option<u8>,
) -> Result<Vec<u8>> {
    let failed = |error: image::ImageError| {
        Error::new(Code::Internal, "the picture cannot be drawn on").with_cause(error)
    };
    let mut canvas = image::load_from_memory(picture).map_err(failed)?.to_rgb8();
    // First all frames, then all numbers, so that no frame crosses a number.
    for (label, colour) in labels.iter().zip(COLOURS.iter().cycle()) {
        frame(&mut canvas, pixels(label, scale), *colour);
    }
    for (label, colour) in labels.iter().zip(COLOURS.iter().cycle()) {
        number(&mut canvas, label.number, pixels(label, scale), *colour);
    }
    let mut bytes = Cursor::new(Vec::new());
    let (width, height) = canvas.dimensions();
    match jpeg_quality {
        Some(quality) => JpegEncoder::new_with_quality(&mut bytes, quality).write_image(
            &canvas,
            width,
            height,
            ExtendedColorType::Rgb8,
        ),
        None => PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up).write_image(
            &canvas,
            width,
            height,
            ExtendedColorType::Rgb8,
        ),
    }
    .map_err(failed)?;
    Ok(bytes.into_inner())
}

/// Left, top, width and height in the picture's own pixels.
fn pixels(label: &Label, scale: f64) -> [i32; 4] {
    label.bounds.map(|side| (f64::from(side) * scale).round() as i32)
}

fn frame(canvas: &mut RgbImage, [left, top, width, height]: [i32; 4], colour: Rgb<u8>) {
    for thick in 0..2 {
        fill(canvas, [left, top + thick, width, 1], colour);
        fill(canvas, [left, top + height - 1 - thick, width, 1], colour);
        fill(canvas, [left + thick, top, 1, height], colour);
        fill(canvas, [left + width - 1 - thick, top, 1, height], colour);
    }
}

/// The number on a ground of its own, above the box where there is room, otherwise in its corner.
fn number(canvas: &mut RgbImage, number: u32, [left, top, ..]: [i32; 4], colour: Rgb<u8>) {
    let digits = number.to_string();
    let size = [digits.len() as i32 * WIDTH + DOT, HEIGHT + DOT];
    let (x, y) = (left.clamp(0, (canvas.width() as i32 - size[0]).max(0)), (top - size[1]).max(0));
    fill(canvas, [x, y, size[0], size[1]], colour);
    for (at, digit) in digits.bytes().enumerate() {
        let rows = DIGITS[usize::from(digit - b'0')];
        for (row, bits) in rows.into_iter().enumerate() {
            for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                let (x, y) = (x + DOT + at as i32 * WIDTH + column * DOT, y + DOT + row as i32 * DOT);
                fill(canvas, [x, y, DOT, DOT], WHITE);
            }
        }
    }
}

fn fill(canvas: &mut RgbImage, [left, top, width, height]: [i32; 4], colour: Rgb<u8>) {
    let (right, bottom) =
        ((left + width).min(canvas.width() as i32), (top + height).min(canvas.height() as i32));
    for y in top.max(0)..bottom {
        for x in left.max(0)..right {
            canvas.put_pixel(x as u32, y as u32, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_numbers_are_where_they_belong_and_nothing_else_changes() {
        let mut blank = Cursor::new(Vec::new());
        RgbImage::from_pixel(100, 60, WHITE).write_to(&mut blank, image::ImageFormat::Png).unwrap();
        let label = |number, bounds| Label { number, bounds, ..Label::default() };
        // One in the middle, one that sticks out of the picture, at twice the size.
        let labels = [label(1, [10, 15, 20, 10]), label(23, [45, 25, 100, 100])];
        let drawn =
            image::load_from_memory(&draw(blank.get_ref(), &labels, 2.0, None).unwrap()).unwrap().to_rgb8();
        assert_eq!(drawn.dimensions(), (100, 60));
        assert_eq!(*drawn.get_pixel(20, 30), COLOURS[0], "its corner");
        assert_eq!(*drawn.get_pixel(59, 49), COLOURS[0], "the corner opposite");
        assert_eq!(*drawn.get_pixel(40, 40), WHITE, "what is in it");
        assert_eq!(*drawn.get_pixel(20, 13), COLOURS[0], "the ground of the number, above it");
        assert_eq!(*drawn.get_pixel(90, 50), COLOURS[1]);
        assert_eq!(*drawn.get_pixel(5, 5), WHITE);
        assert!(draw(b"no picture", &labels, 1.0, None).is_err());
    }
}
