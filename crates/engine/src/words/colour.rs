//! Colours as people name them.

use super::query::Colour;

/// The colours of one element as the browser computes them: background, text, border, drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Look {
    colours: [Option<[f64; 3]>; 4],
}

impl Look {
    /// From what the page's script tells: `rgb(…)`, or nothing.
    pub(super) fn read(told: &[String]) -> Look {
        Look { colours: std::array::from_fn(|at| told.get(at).and_then(|colour| rgb(colour))) }
    }

    /// Whether people would call the element that: by its background if it has one that is a colour, else by its text, drawing and border.
    pub(super) fn is(&self, colour: Colour) -> bool {
        let [background, text, border, drawing] = self.colours;
        // A shape is nothing but its filling.
        if let (None, None, Some(drawing)) = (background, text, drawing) {
            return names(drawing).contains(&colour);
        }
        if let Some(background) = background {
            if names(background).contains(&colour) {
                return true;
            }
            if !is_neutral(background) {
                return false;
            }
        }
        // Text is dark and borders are grey nearly everywhere: that says nothing of an element.
        let says = |other: &Option<[f64; 3]>| {
            other.is_some_and(|other| !is_neutral(other) && names(other).contains(&colour))
        };
        let is_dark_text = colour == Colour::Black
            && background.is_none()
            && text.is_some_and(|text| names(text).contains(&colour));
        is_dark_text || [text, drawing, border].iter().any(says)
    }

    /// Whether its own area or its frame is of that colour, whatever is written in it.
    pub(super) fn is_painted(&self, colour: Colour) -> bool {
        let [background, text, border, drawing] = self.colours;
        if let (None, None, Some(drawing)) = (background, text, drawing) {
            return names(drawing).contains(&colour);
        }
        let says = |other: &[f64; 3]| !is_neutral(*other) && names(*other).contains(&colour);
        match background {
            Some(background) => names(background).contains(&colour),
            None => [border, drawing].iter().flatten().any(says),
        }
    }
}

fn rgb(text: &str) -> Option<[f64; 3]> {
    let inside = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.strip_suffix(')')?;
    let mut numbers =
        inside.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(|part| part.parse::<f64>().ok());
    let colour = [numbers.next()??, numbers.next()??, numbers.next()??];
    // What is nearly transparent shows what is behind it.
    match numbers.next() {
        Some(Some(alpha)) if alpha < 0.3 => None,
        _ => Some(colour),
    }
}

fn is_neutral(colour: [f64; 3]) -> bool {
    names(colour).iter().all(|name| matches!(name, Colour::Black | Colour::White | Colour::Grey))
}

/// What a colour is called. Between two names it has both.
fn names(rgb: [f64; 3]) -> Vec<Colour> {
    let [red, green, blue] = rgb.map(|part| part / 255.0);
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (light, range) = ((most + least) / 2.0, most - least);
    let saturation = if range == 0.0 { 0.0 } else { range / (1.0 - (2.0 * light - 1.0).abs()).max(0.01) };
    if light < 0.12 || (light < 0.2 && saturation < 0.3) {
        return vec![Colour::Black];
    }
    if light > 0.96 {
        return vec![Colour::White];
    }
    if saturation < 0.16 || range < 0.06 {
        return if light > 0.92 { vec![Colour::White, Colour::Grey] } else { vec![Colour::Grey] };
    }
    let sixth = if most == red {
        (green - blue) / range
    } else if most == green {
        (blue - red) / range + 2.0
    } else {
        (red - green) / range + 4.0
    };
    let hue = (sixth * 60.0).rem_euclid(360.0);
    const HUES: [(f64, f64, Colour); 9] = [
        (0.0, 16.0, Colour::Red),
        (9.0, 46.0, Colour::Orange),
        (42.0, 68.0, Colour::Yellow),
        (66.0, 172.0, Colour::Green),
        (160.0, 200.0, Colour::Cyan),
        (188.0, 258.0, Colour::Blue),
        (250.0, 300.0, Colour::Purple),
        (292.0, 346.0, Colour::Pink),
        (342.0, 360.0, Colour::Red),
    ];
    let mut found: Vec<Colour> = HUES
        .iter()
        .filter(|(from, to, _)| (*from..=*to).contains(&hue))
        .map(|(_, _, colour)| *colour)
        .collect();
    // Dark pink is purple.
    if light < 0.4 {
        found.retain(|colour| *colour != Colour::Pink || hue > 315.0);
        if (300.0..316.0).contains(&hue) {
            found.push(Colour::Purple);
        }
    }
    if (10.0..46.0).contains(&hue) && light < 0.4 && saturation < 0.85 {
        found = vec![Colour::Brown];
    }
    if !(14.0..340.0).contains(&hue) && light > 0.7 {
        found.push(Colour::Pink);
    }
    if light < 0.2 && saturation < 0.6 {
        found.push(Colour::Black);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let check = |colour: [f64; 3], name: Colour| {
            assert!(names(colour).contains(&name), "{colour:?} is {:?}", names(colour));
        };
        check([255.0, 0.0, 0.0], Colour::Red);
        check([220.0, 53.0, 69.0], Colour::Red);
        check([0.0, 123.0, 255.0], Colour::Blue);
        check([37.0, 99.0, 235.0], Colour::Blue);
        check([40.0, 167.0, 69.0], Colour::Green);
        check([255.0, 193.0, 7.0], Colour::Yellow);
        check([255.0, 165.0, 0.0], Colour::Orange);
        check([128.0, 0.0, 128.0], Colour::Purple);
        check([111.0, 66.0, 193.0], Colour::Purple);
        assert!(!names([128.0, 0.0, 128.0]).contains(&Colour::Pink));
        check([255.0, 192.0, 203.0], Colour::Pink);
        check([23.0, 162.0, 184.0], Colour::Cyan);
        check([139.0, 69.0, 19.0], Colour::Brown);
        check([108.0, 117.0, 125.0], Colour::Grey);
        check([128.0, 128.0, 128.0], Colour::Grey);
        check([33.0, 37.0, 41.0], Colour::Black);
        check([255.0, 255.0, 255.0], Colour::White);
    }

    #[test]
    fn an_element_is_called_by_its_background_first() {
        let look = |told: [&str; 4]| Look::read(&told.map(String::from));
        let button = look(["rgb(37, 99, 235)", "rgb(255, 0, 0)", "", ""]);
        assert!(button.is(Colour::Blue) && !button.is(Colour::Red));
        let outlined = look(["rgb(255, 255, 255)", "rgb(255, 0, 0)", "rgb(255, 0, 0)", ""]);
        assert!(outlined.is(Colour::Red) && outlined.is(Colour::White) && !outlined.is(Colour::Blue));
        assert!(!look(["", "rgb(0, 0, 0)", "", ""]).is(Colour::Blue));
        assert!(!look(["rgba(255, 0, 0, 0.05)", "rgb(0, 0, 0)", "", ""]).is(Colour::Red));
    }
}
