//! The last picture of a page that a caller was sent: coordinates that the caller gives are counted in it.

use contract::{Error, FrameId, Result};

use crate::{actions::Run, hands::Point, page};

/// What a picture shows, and how large it is.
#[derive(Clone, Debug)]
pub(crate) struct Pictured {
    /// Where in the page its corner is, in CSS pixels; none if it shows the window, wherever that is scrolled to.
    pub(crate) corner: Option<[f64; 2]>,
    /// What it shows, in CSS pixels.
    pub(crate) size: [f64; 2],
    /// Its own width and height.
    pub(crate) pixels: [u32; 2],
}

/// A picture, and the document that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    picture: Pictured,
    document: Option<String>,
}

/// Keeps what was sent. Returns what has to be said of its coordinates, if they are not those of the window.
pub(crate) fn note(run: &Run<'_>, picture: Pictured) -> Result<Option<String>> {
    let (_, tab) = run.tab()?;
    let [width, height] = picture.pixels;
    let [wide, high] = picture.size.map(f64::round);
    let is_scaled = (f64::from(width), f64::from(height)) != (wide, high);
    let from = match picture.corner {
        Some([0.0, 0.0]) => {
            "; they begin at the corner of the page, which is scrolled to what is out of view"
        }
        Some(_) => "; they begin at the corner of the element",
        None => "",
    };
    let note = match (is_scaled, from) {
        (false, "") => None,
        (true, _) => Some(format!(
            "the picture is {width}x{height} pixels, and what it shows {wide}x{high}: coordinates are counted in the picture{from}"
        )),
        (false, _) => {
            Some(format!("the picture is {width}x{height} pixels: coordinates are counted in it{from}"))
        }
    };
    tab.note_picture(Sent { picture, document: document(run) });
    Ok(note)
}

/// Where a point of the last picture is in the page's window. A picture of another document counts for nothing.
pub(crate) async fn in_window(run: &Run<'_>, at: Point) -> Result<Point> {
    let (_, tab) = run.tab()?;
    let Some(Sent { picture, .. }) = tab.picture().filter(|sent| sent.document == document(run)) else {
        return Ok(at);
    };
    let [width, height] = picture.pixels.map(f64::from);
    if at.x > width || at.y > height {
        return Err(Error::invalid(format!(
            "{},{} is outside of the last picture, which is {width}x{height}",
            at.x, at.y
        ))
        .with_hint("give a point inside of the picture, or take another one"));
    }
    let [x, y] = [at.x * picture.size[0] / width, at.y * picture.size[1] / height];
    let Some([left, top]) = picture.corner else { return Ok(Point { x, y }) };
    let seen = page::ask(tab, FrameId(0), "pointIntoView", &(left + x, top + y), run.deadline).await?;
    let [x, y]: [f64; 2] = serde_json::from_value(seen).unwrap_or([x, y]);
    Ok(Point { x: x.max(0.0), y: y.max(0.0) })
}

/// The document that the tab shows.
fn document(run: &Run<'_>) -> Option<String> {
    let (_, tab) = run.tab().ok()?;
    tab.read(|state| state.world(FrameId(0), false)).map(|world| world.unique_id)
}
