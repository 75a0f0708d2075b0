//! Points of the page's window, and what is at them.

use contract::{Code, Error, FrameId, Named, Ref, Result, Target};
use serde::Deserialize;

use super::answer::Described;
use crate::{
    actions::Run,
    locate::{locate, locate_soon},
    page,
};

/// A point of the page's window, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// The point that a target is, if it is one.
pub(crate) async fn point_of(run: &Run<'_>, target: &Target) -> Result<Option<Point>> {
    let (_, tab) = run.tab()?;
    let (x, y) = match target {
        Target::Thousandths { x, y } => (*x, *y),
        Target::Point { x, y } if !run.points_in_picture => (*x, *y),
        Target::Point { x, y } | Target::Pictured { x, y } => {
            let Point { x, y } = crate::pictured::in_window(run, Point { x: *x, y: *y }).await?;
            (x, y)
        }
        _ => return Ok(None),
    };
    let size = page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?;
    let [_, _, width, height]: [f64; 4] = serde_json::from_value(size).unwrap_or_default();
    let point = match target {
        Target::Thousandths { .. } => Point { x: x * width / 1000.0, y: y * height / 1000.0 },
        _ => Point { x, y },
    };
    // The last thousandth is the edge itself, which belongs to nothing.
    let point = match target {
        Target::Thousandths { .. } => Point { x: point.x.min(width - 1.0), y: point.y.min(height - 1.0) },
        _ => point,
    };
    if point.x >= width || point.y >= height {
        return Err(Error::invalid(format!("{target} is outside of the window, which is {width}x{height}"))
            .with_hint("give a point inside of the window, or scroll first"));
    }
    Ok(Some(point))
}

/// The element that a target means; of a point, what is there.
pub(crate) async fn element_for(run: &Run<'_>, target: &Target) -> Result<Ref> {
    match point_of(run, target).await? {
        Some(_) => element_now(run, target).await,
        None => locate_soon(run, target).await,
    }
}

/// The same without waiting for one that is not there.
pub(crate) async fn element_now(run: &Run<'_>, target: &Target) -> Result<Ref> {
    let Some(point) = point_of(run, target).await? else { return locate(run, target).await };
    match element_at(run, point).await? {
        Some(named) => Ok(named.reference),
        None => Err(Error::new(Code::ElementNotFound, format!("there is nothing at {target}"))),
    }
}

/// What is at a point of the page's window, through its frames.
pub(crate) async fn element_at(run: &Run<'_>, point: Point) -> Result<Option<Named>> {
    let (_, tab) = run.tab()?;
    let (mut frame, mut point) = (FrameId(0), point);
    loop {
        let answer = page::ask(tab, frame, "at", &(point.x, point.y), run.deadline).await?;
        let Ok(Some(found)) = serde_json::from_value::<Option<Described>>(answer) else { return Ok(None) };
        let inner = match found.frame {
            true => crate::frames::inside(tab, frame, found.holder, run.deadline).await.ok(),
            false => None,
        };
        let Some(inner) = inner else { return Ok(Some(found.named(frame))) };
        (frame, point) = (inner, Point { x: found.x, y: found.y });
    }
}

/// The element that holds a frame.
pub(crate) async fn holder_of(run: &Run<'_>, frame: FrameId) -> Result<Option<Ref>> {
    let (_, tab) = run.tab()?;
    {
        let eyes = tab.eyes(run.deadline).await?;
        // Frames of the next document get the same numbers, so what was seen of an earlier one says nothing.
        if eyes.knows(tab)
            && let Some(holder) = eyes.holder_of(frame)
        {
            return Ok(Some(holder));
        }
    }
    // Not all of them are shown.
    crate::frames::holder(tab, frame, run.deadline).await
}
