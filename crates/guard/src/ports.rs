//! Ports that no browser talks to, since what listens there can be made to obey words in a request for a page.

/// The ports that the Fetch standard calls bad (<https://fetch.spec.whatwg.org/#bad-port>), which Chromium refuses too. Checked here
/// as well: flags can make Chromium less strict, and it is not the only program that can reach a proxy on this computer.
const BAD: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Whether a page may be asked for at this port.
pub(crate) fn is_bad(port: u16) -> bool {
    BAD.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(BAD.is_sorted());
        for port in [80, 443, 3000, 8080, 65535] {
            assert!(!is_bad(port), "{port}");
        }
        for port in BAD {
            assert!(is_bad(port), "{port}");
        }
    }
}
