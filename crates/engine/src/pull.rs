//! Sliders that the mouse pulls: pages that act when the button is released (`pointerup`, `mouseup`, `change`) see what a person's hand gives
//! them.

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Ref, Result, Target};
use tokio::time::{Duration, Instant};

use crate::{
    actions::Run,
    hands::{Needs, Point, aim, guard_others, point_through, unguard_others},
    lift::lift,
    page,
    snapshot::frame_of,
    tab::Tab,
};

/// How many moves the way to a value takes.
const STEPS: u32 = 4;

/// How far a slider of the page's is pulled to learn what a pixel means, in pixels; the second time if the first does nothing.
const FIRST_WAYS: [f64; 2] = [8.0, 24.0];

/// How often it is pulled on until it stands where it should.
const MOST_PULLS: u32 = 12;

/// How long the page may take to say where the press landed.
const MOMENT: Duration = Duration::from_secs(2);

/// The mouse button, held down on a slider. It does not stay down, however this ends.
struct Grip<'a> {
    run: &'a Run<'a>,
    tab: &'a Tab,
    frame: FrameId,
    at: Point,
    is_down: bool,
}

impl<'a> Grip<'a> {
    /// Presses the button at a point of a slider that is guarded. None if the press did not land in the slider.
    async fn press(run: &'a Run<'a>, frame: FrameId, at: Point) -> Result<Option<Grip<'a>>> {
        let (_, tab) = run.tab()?;
        run.note_given();
        let mut grip = Grip { run, tab, frame, at, is_down: true };
        let hovering = p::DispatchMouse { button: None, buttons: None, ..grip.event("mouseMoved") };
        drop(tab.channel.post(hovering));
        grip.send(p::DispatchMouse { click_count: Some(1), ..grip.event("mousePressed") }).await?;
        let by = run.deadline.min(Instant::now() + MOMENT);
        match tab.until_some(by, "the press", |state| state.verdict.clone()).await {
            Ok(verdict) if verdict == "landed" => return Ok(Some(grip)),
            Err(error) if error.code != Code::Timeout => return Err(error),
            _ => {}
        }
        grip.release().await?;
        Ok(None)
    }

    async fn go(&mut self, to: Point) -> Result<()> {
        self.at = to;
        self.send(self.event("mouseMoved")).await
    }

    async fn release(&mut self) -> Result<()> {
        self.is_down = false;
        self.send(self.released()).await?;
        page::tell(self.tab, self.frame, "unguard");
        unguard_others(self.run, self.frame).await;
        Ok(())
    }

    fn released(&self) -> p::DispatchMouse {
        p::DispatchMouse { buttons: Some(0), click_count: Some(1), ..self.event("mouseReleased") }
    }

    fn event(&self, kind: &str) -> p::DispatchMouse {
        let Point { x, y } = self.at;
        let (button, buttons) = (Some("left".into()), Some(1));
        p::DispatchMouse { r#type: kind.into(), x, y, button, buttons, ..p::DispatchMouse::default() }
    }

    async fn send(&self, event: p::DispatchMouse) -> Result<()> {
        self.tab.note_pointer([event.x, event.y]);
        self.tab.channel.call(event, self.run.deadline).await.map(drop).map_err(lift)
    }
}

impl Drop for Grip<'_> {
    fn drop(&mut self) {
        if self.is_down {
            drop(self.tab.channel.post(self.released()));
            page::tell(self.tab, self.frame, "unguard");
        }
    }
}

/// Pulls a slider of the browser's (`<input type=range>`) by its thumb, from one point of its frame to another, and sets the exact value
/// before the button is released. Our script in the page guards the slider already. Returns whether the press landed in it.
pub(crate) async fn pull_range(
    run: &Run<'_>,
    slider: Ref,
    [from, to]: [Point; 2],
    value: &str,
) -> Result<bool> {
    let (_, tab) = run.tab()?;
    let frame = frame_of(slider);
    guard_others(run, frame).await;
    tab.note(|state| state.verdict = None);
    let grip = match (point_through(run, slider, from).await, point_through(run, slider, to).await) {
        (Some(from), Some(to)) => {
            run.gate.begin();
            Grip::press(run, frame, from).await?.map(|grip| (grip, from, to))
        }
        _ => None,
    };
    let Some((mut grip, from, to)) = grip else {
        page::tell(tab, frame, "unguard");
        unguard_others(run, frame).await;
        return Ok(false);
    };
    for step in 1..=STEPS {
        grip.go(between(from, to, f64::from(step) / f64::from(STEPS))).await?;
    }
    page::ask(tab, frame, "setPulled", &(slider.element, value), run.deadline).await?;
    grip.release().await?;
    Ok(true)
}

/// Where a slider of the page's own stands, and along which axis it is pulled.
pub(crate) struct Handle {
    pub(crate) now: f64,
    pub(crate) is_vertical: bool,
}

impl Handle {
    /// So many pixels further on.
    fn along(&self, at: Point, way: f64) -> Point {
        match self.is_vertical {
            // Up is more.
            true => Point { y: at.y - way, ..at },
            false => Point { x: at.x + way, ..at },
        }
    }
}

/// What a slider has to be like to be pulled.
const PULLED: Needs = Needs { held: true, enabled: true, ..Needs::HOVER };

/// Pulls a slider of the page's own until it stands where it should, or as near as pixels let it come. Returns what a pixel moves it by, 0
/// if the mouse does not move it. `stand` says where the slider stands some time after it was at the given value.
pub(crate) async fn pull_handle<Stand: Future<Output = Result<Option<f64>>> + Send>(
    run: &Run<'_>,
    slider: Ref,
    handle: Handle,
    wanted: f64,
    stand: impl Fn(f64) -> Stand + Send,
) -> Result<f64> {
    let aimed = aim(run, &Target::Ref(slider), PULLED).await?;
    run.gate.begin();
    let Some(mut grip) = Grip::press(run, frame_of(slider), aimed.point).await? else {
        return Err(Error::new(
            Code::ElementCovered,
            format!("{slider} was moved or covered when it was pressed"),
        ));
    };
    let (mut now, mut by_pixel) = (handle.now, 0.0);
    for way in FIRST_WAYS {
        let way = way.copysign(wanted - now);
        grip.go(handle.along(aimed.point, way)).await?;
        let Some(after) = stand(now).await? else { break };
        if after != now {
            (by_pixel, now) = ((after - now) / way, after);
            break;
        }
    }
    for _ in 0..MOST_PULLS {
        if by_pixel == 0.0 || now == wanted {
            break;
        }
        let way = ((wanted - now) / by_pixel).round();
        if way == 0.0 {
            break;
        }
        grip.go(handle.along(grip.at, way)).await?;
        let Some(after) = stand(now).await? else { break };
        if after == now {
            break;
        }
        (by_pixel, now) = ((after - now) / way, after);
    }
    let released = grip.at;
    grip.release().await?;
    if by_pixel != 0.0 {
        return Ok(by_pixel);
    }
    // Some say where they stand only when they have been released.
    match stand(now).await? {
        Some(after) if after != now => {
            pull_and_release(run, slider, Handle { now: after, ..handle }, released, wanted, &stand).await
        }
        _ => Ok(0.0),
    }
}

/// The same for a slider that says only after each release where it stands: it was at `handle.now` when it was released at `last`.
async fn pull_and_release<Stand: Future<Output = Result<Option<f64>>> + Send>(
    run: &Run<'_>,
    slider: Ref,
    handle: Handle,
    last: Point,
    wanted: f64,
    stand: &(impl Fn(f64) -> Stand + Send),
) -> Result<f64> {
    let (mut now, mut last, mut by_pixel) = (handle.now, last, 0.0);
    for _ in 0..MOST_PULLS {
        let way = match by_pixel {
            0.0 => FIRST_WAYS[1].copysign(wanted - now),
            by_pixel => f64::round((wanted - now) / by_pixel),
        };
        if now == wanted || way == 0.0 {
            break;
        }
        let aimed = aim(run, &Target::Ref(slider), PULLED).await?;
        let Some(mut grip) = Grip::press(run, frame_of(slider), aimed.point).await? else { break };
        // Where the pointer is let go of is where the slider stands, wherever it was taken.
        let to = handle.along(last, way);
        let to = if handle.is_vertical {
            Point { x: aimed.point.x, ..to }
        } else {
            Point { y: aimed.point.y, ..to }
        };
        for part in [0.5, 1.0] {
            grip.go(between(aimed.point, to, part)).await?;
        }
        grip.release().await?;
        let Some(after) = stand(now).await?.filter(|after| *after != now) else { break };
        (by_pixel, now, last) = ((after - now) / way, after, to);
    }
    Ok(by_pixel)
}

fn between(from: Point, to: Point, part: f64) -> Point {
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}
