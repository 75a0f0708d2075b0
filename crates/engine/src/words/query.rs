//! What a description asks for, once it is read.

/// One way to read a description. Everything in it must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Query {
    /// What the element is called, in the caller's words.
    pub(super) name: String,
    /// The name was quoted.
    pub(super) quoted: bool,
    pub(super) role: Option<Wanted>,
    /// The word for one of many, or for a shape: `song`, 航班, `circle`.
    pub(super) noun: Option<String>,
    pub(super) colours: Vec<Colour>,
    pub(super) states: Vec<State>,
    pub(super) ordinal: Option<Ordinal>,
    /// The word that the number stands behind, if the ordinal is one: `page` of `page 2`.
    pub(super) numbered: Option<String>,
    pub(super) sides: Vec<Side>,
    pub(super) relations: Vec<Relation>,
    /// How many words were taken for more than a name: what stands there literally goes first.
    pub(super) taken: u32,
    /// The name is a word that says something else by itself: `last`. Only an element that is called just that is meant by it.
    pub(super) bent: bool,
}

/// Where the element is, as seen from another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Relation {
    pub(super) how: How,
    pub(super) anchor: Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    In,
    /// `Alice's`, 张三的: in it, or beside it.
    Of,
    NextTo,
    Below,
    Above,
    LeftOf,
    RightOf,
    /// The anchor's name is that of two: `Save and Delete`.
    Between,
}

/// A word for a kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Button,
    Link,
    /// Where text is typed.
    Field,
    /// Any part of a form that is filled in.
    AnyField,
    Checkbox,
    Radio,
    Switch,
    Dropdown,
    /// Whatever a value is chosen with.
    Picker,
    Option,
    Tab,
    MenuItem,
    Slider,
    Image,
    Icon,
    Heading,
    Text,
    /// A text that is a paragraph, if there are any.
    Paragraph,
    Cell,
    /// A day in a calendar.
    Day,
    /// Something to tick, as its verb says.
    Checkable,
    /// Something to type into or to set, as its verb says.
    Typed,
    /// A patch of colour to choose.
    Swatch,
    /// A shape that is known by its colour alone.
    Shape,
    /// A field for numbers, with arrows.
    Spinner,
    /// Something to choose, as its verb says.
    Choice,
    /// `one`, `element`.
    Any,
    Row,
    ListItem,
    Card,
    /// One of many, whatever they are: a post, a mail, a product.
    Entry,
    Dialog,
    Table,
    List,
    Form,
    Section,
    /// The same, if it is called something: a `box` without a name can be anything.
    Box,
    Header,
    Footer,
    Sidebar,
    Navigation,
    Main,
    Menu,
    Toolbar,
    Column,
    Frame,
    /// The page itself: no condition at all.
    Page,
}

impl Wanted {
    /// Whether other elements are in it.
    pub(super) fn is_container(self) -> bool {
        self as u8 >= Wanted::Row as u8
    }

    /// Whether there are many of it, each with the same things in it.
    pub(super) fn is_one_of_many(self) -> bool {
        matches!(self, Wanted::Row | Wanted::ListItem | Wanted::Card | Wanted::Entry)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ordinal {
    /// From the first, which is 1.
    Nth(usize),
    /// From the last, which is 1.
    FromEnd(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
    Middle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Checked,
    Unchecked,
    Disabled,
    Enabled,
    Selected,
    Unselected,
    Expanded,
    Collapsed,
    Empty,
    Filled,
    Required,
    Optional,
    Focused,
    ReadOnly,
    Invalid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    Pink,
    Brown,
    Black,
    White,
    Grey,
}

impl Query {
    /// Whether it says nothing about the element itself.
    pub(super) fn is_bare(&self) -> bool {
        self.name.is_empty() && self.role.is_none()
    }

    /// `box`, 方块: only a colour makes a kind of element of that.
    pub(super) fn is_shape_of_no_colour(&self) -> bool {
        self.role == Some(Wanted::Shape) && self.colours.is_empty()
    }

    /// Whether it or an anchor asks for something.
    pub(super) fn any(&self, asks: &impl Fn(&Query) -> bool) -> bool {
        asks(self) || self.relations.iter().any(|relation| relation.anchor.any(asks))
    }

    /// In words, for reasons.
    pub(super) fn said(&self) -> String {
        let role = self.role.map(|role| format!("{role:?}").to_lowercase()).unwrap_or_default();
        let ordinal = match self.ordinal {
            Some(Ordinal::Nth(n)) => format!("number {n} "),
            Some(Ordinal::FromEnd(1)) => "last ".into(),
            Some(Ordinal::FromEnd(n)) => format!("number {n} from the end "),
            None => String::new(),
        };
        let own = match (role.is_empty(), self.name.is_empty()) {
            (false, false) => format!("{role} of {:?}", self.name),
            (true, _) => format!("{:?}", self.name),
            (_, true) => role,
        };
        format!("{ordinal}{own}")
    }
}

impl How {
    pub(super) fn said(self) -> &'static str {
        match self {
            How::In => "in the",
            How::Of => "of",
            How::NextTo => "next to",
            How::Below => "below",
            How::Above => "above",
            How::LeftOf => "left of",
            How::RightOf => "right of",
            How::Between => "between",
        }
    }
}
