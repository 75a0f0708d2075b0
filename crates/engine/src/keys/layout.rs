//! The US layout, as tables.

use crate::actions::Modifier;

/// What is written without and with Shift.
pub(super) const PRINTED: [(char, char, &str, u32); 22] = [
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

/// Keys that have a name, and other names for them in small letters.
pub(super) const NAMED: [(&str, u32, &[&str]); 35] = [
    ("Enter", 13, &["return", "回车"]),
    ("Tab", 9, &["制表"]),
    ("Escape", 27, &["esc", "退出"]),
    ("Backspace", 8, &["退格"]),
    ("Delete", 46, &["del", "删除"]),
    ("Insert", 45, &["ins"]),
    ("Home", 36, &[]),
    ("End", 35, &[]),
    ("PageUp", 33, &["pgup", "上一页"]),
    ("PageDown", 34, &["pgdn", "pgdown", "下一页"]),
    ("ArrowLeft", 37, &["left", "向左"]),
    ("ArrowUp", 38, &["up", "向上"]),
    ("ArrowRight", 39, &["right", "向右"]),
    ("ArrowDown", 40, &["down", "向下"]),
    ("CapsLock", 20, &[]),
    ("NumLock", 144, &[]),
    ("ScrollLock", 145, &[]),
    ("Pause", 19, &[]),
    ("PrintScreen", 44, &[]),
    ("ContextMenu", 93, &["menu"]),
    ("F1", 112, &[]),
    ("F2", 113, &[]),
    ("F3", 114, &[]),
    ("F4", 115, &[]),
    ("F5", 116, &[]),
    ("F6", 117, &[]),
    ("F7", 118, &[]),
    ("F8", 119, &[]),
    ("F9", 120, &[]),
    ("F10", 121, &[]),
    ("F11", 122, &[]),
    ("F12", 123, &[]),
    ("AudioVolumeMute", 173, &[]),
    ("AudioVolumeDown", 174, &[]),
    ("AudioVolumeUp", 175, &[]),
];

pub(super) const MODIFIERS: [(&str, &str, u32, Modifier, &[&str]); 4] = [
    ("Shift", "ShiftLeft", 16, Modifier::Shift, &[]),
    ("Control", "ControlLeft", 17, Modifier::Control, &["ctrl", "controlormeta", "commandorcontrol"]),
    ("Alt", "AltLeft", 18, Modifier::Alt, &["option", "opt"]),
    ("Meta", "MetaLeft", 91, Modifier::Meta, &["cmd", "command", "win", "windows", "super"]),
];

/// The keys of the number pad, with the number lock on: code, meaning, number, and what is written.
pub(super) const NUMBER_PAD: [(&str, &str, u32, char); 16] = [
    ("NumpadEnter", "Enter", 13, '\r'),
    ("Numpad0", "0", 96, '0'),
    ("Numpad1", "1", 97, '1'),
    ("Numpad2", "2", 98, '2'),
    ("Numpad3", "3", 99, '3'),
    ("Numpad4", "4", 100, '4'),
    ("Numpad5", "5", 101, '5'),
    ("Numpad6", "6", 102, '6'),
    ("Numpad7", "7", 103, '7'),
    ("Numpad8", "8", 104, '8'),
    ("Numpad9", "9", 105, '9'),
    ("NumpadMultiply", "*", 106, '*'),
    ("NumpadAdd", "+", 107, '+'),
    ("NumpadSubtract", "-", 109, '-'),
    ("NumpadDecimal", ".", 110, '.'),
    ("NumpadDivide", "/", 111, '/'),
];

/// The modifiers on the right: code, number, and the name of the same on the left.
pub(super) const RIGHT: [(&str, u32, &str); 4] = [
    ("ShiftRight", 16, "Shift"),
    ("ControlRight", 17, "Control"),
    ("AltRight", 18, "Alt"),
    ("MetaRight", 92, "Meta"),
];

/// What Control (Command on a Mac) and a key do to text. Chromium leaves some of them to the system's menus, which it does not have here.
pub(super) const EDITING: [(char, bool, &str); 7] = [
    ('a', false, "selectAll"),
    ('c', false, "copy"),
    ('x', false, "cut"),
    ('v', false, "paste"),
    ('z', false, "undo"),
    ('z', true, "redo"),
    ('y', false, "redo"),
];
