//! Devices that pages can be shown as: a small table.

use contract::{Error, Result};

use crate::{Viewport, emulation::Emulation};

/// A device.
#[derive(Debug)]
pub(crate) struct Preset {
    name: &'static str,
    width: u32,
    height: u32,
    scale: f64,
    /// What it calls itself, if it is not a desktop: `{chrome}` is the version of the browser that runs.
    identity: Option<Identity>,
}

#[derive(Clone, Copy, Debug)]
struct Identity {
    user_agent: &'static str,
    platform: &'static str,
}

const IPHONE: Option<Identity> = Some(Identity {
    user_agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/17.5 Mobile/15E148 Safari/604.1",
    platform: "iPhone",
});

const IPAD: Option<Identity> = Some(Identity {
    user_agent: "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/17.5 Mobile/15E148 Safari/604.1",
    platform: "iPad",
});

const ANDROID: Option<Identity> = Some(Identity {
    user_agent: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome}.0.0.0 \
                 Mobile Safari/537.36",
    platform: "Linux armv81",
});

const PRESETS: [Preset; 11] = [
    preset("iphone-15", 393, 852, 3.0, IPHONE),
    preset("iphone-15-pro-max", 430, 932, 3.0, IPHONE),
    preset("iphone-se", 375, 667, 2.0, IPHONE),
    preset("pixel-9", 412, 923, 2.625, ANDROID),
    preset("galaxy-s24", 360, 780, 3.0, ANDROID),
    preset("ipad", 820, 1180, 2.0, IPAD),
    preset("ipad-pro", 1024, 1366, 2.0, IPAD),
    preset("laptop", 1366, 768, 1.0, None),
    preset("desktop", 1280, 720, 1.0, None),
    preset("desktop-1080p", 1920, 1080, 1.0, None),
    preset("desktop-1440p", 2560, 1440, 1.0, None),
];

const fn preset(
    name: &'static str,
    width: u32,
    height: u32,
    scale: f64,
    identity: Option<Identity>,
) -> Preset {
    Preset { name, width, height, scale, identity }
}

impl Preset {
    pub(crate) fn named(name: &str) -> Result<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
            Error::invalid(format!("there is no preset {name:?}"))
                .with_hint(format!("use one of these: {}", names.join(", ")))
        })
    }

    /// Makes pages as large as the device, and touchable if it is.
    pub(crate) fn size(&self, emulation: &mut Emulation) {
        let Preset { width, height, scale, .. } = *self;
        emulation.viewport = Some(Viewport { width, height, scale });
        emulation.mobile = self.identity.is_some();
        emulation.touch = self.identity.is_some();
    }

    /// Makes the browser call itself what the device's would. `version` is the browser's own, such as `Chrome/156.0.1.2`.
    pub(crate) fn identity(&self, emulation: &mut Emulation, version: &str) {
        let chrome =
            version.split_once('/').and_then(|(_, version)| version.split('.').next()).unwrap_or("140");
        emulation.user_agent = self.identity.map(|identity| identity.user_agent.replace("{chrome}", chrome));
        emulation.platform = self.identity.map(|identity| identity.platform.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_viewport_that_can_be_said() {
        for preset in &PRESETS {
            let mut emulation = Emulation::default();
            Preset::named(preset.name).unwrap().size(&mut emulation);
            preset.identity(&mut emulation, "HeadlessChrome/156.0.1.2");
            let viewport = emulation.viewport.unwrap().to_string();
            assert_eq!(viewport.parse::<Viewport>().unwrap(), emulation.viewport.unwrap(), "{viewport}");
            let named = emulation.user_agent.unwrap_or_default();
            assert!(!named.contains('{') && !named.contains("  "), "{named}");
        }
        assert!(Preset::named("toaster").unwrap_err().hint().contains("pixel-9"));
    }
}
