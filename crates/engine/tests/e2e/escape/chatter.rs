//! What the browser says by itself: nothing. Pages are nobody's business but their own server's.

use engine::SessionOptions;

use super::world::{Place, World, hex};
use crate::support::{Fixture, goto, runtime};

const FORM: &str = "<link rel=icon href='data:,'><form action=/x>
    <label>First name <input name=first autocomplete=given-name></label> <label>Last name <input name=last></label>
    <label>Street <input name=street></label> <label>City <input name=city></label> <label>Zip <input name=zip></label>
    <label>Email <input type=email name=email></label> <label>Card number <input name=card></label>
    <label>Password <input type=password name=password></label><button>Send</button></form>";

/// Left to itself, Chromium asks servers of its maker's what the fields of a form are for, what time it is, who is logged in there, and
/// what is new.
#[test]
fn nobody_else_is_asked_anything() {
    let world = World::new();
    let proxy = Place::at("127.0.0.1");
    runtime().block_on(async {
        for profile in [None, Some("kept".parse().unwrap())] {
            let fixture = Fixture::new(world.engine.clone());
            let options = SessionOptions {
                allow: vec![proxy.address.to_string().parse().unwrap()],
                // Names of the world that only it knows are what it is told here.
                upstream_proxy: Some(format!("http+names://{}", proxy.address).as_str().into()),
                profile,
                ..fixture.options.clone()
            };
            let s = Fixture { options, ..fixture };
            // It asks when a page has loaded; by the third one it has asked about the first.
            for page in 0..3 {
                let path = format!("/as/{}/{}?{page}", hex("text/html"), hex(FORM));
                s.perform(goto(&format!("http://shop.example{path}"))).await.unwrap();
            }
            assert_eq!(world.blocked(&s), 0);
            s.close().await;
            let asked = proxy.take().1;
            assert!(asked.len() >= 3, "{asked:?}");
            for one in asked {
                assert_eq!(one.host, "shop.example", "{one:?}");
            }
        }
        world.end().await;
    });
}
