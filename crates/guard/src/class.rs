//! What kind of place an IP address is: public, or one of the many kinds that a page has no business with.
//!
//! From the registries of special-purpose addresses (IANA; RFC 6890 and what updates it). What is in no registry and outside of the
//! space for public addresses counts as reserved: new kinds are blocked until somebody says what they are.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// The kind of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Anybody's, on the internet.
    Public,
    /// This computer.
    Loopback,
    /// A network of one's own (RFC 1918; site-local IPv6; local NAT64).
    Private,
    /// A network of one's own in IPv6 (`fc00::/7`).
    UniqueLocal,
    /// The cable or the air that this computer is on (`169.254.0.0/16`, `fe80::/10`).
    LinkLocal,
    /// Shared by a provider's customers (`100.64.0.0/10`, CGNAT).
    Shared,
    /// Many at once.
    Multicast,
    /// All at once.
    Broadcast,
    /// None (`0.0.0.0`, `::`), which systems take for this computer.
    Unspecified,
    /// For examples in texts.
    Documentation,
    /// For measuring network devices (`198.18.0.0/15`).
    Benchmark,
    /// For other uses, or none yet.
    Reserved,
    /// The service of a cloud that tells a machine its secrets. Blocked whatever is allowed.
    Metadata,
}

impl Class {
    /// The class as one word, for answers and tables.
    pub fn word(self) -> &'static str {
        match self {
            Class::Public => "public",
            Class::Loopback => "loopback",
            Class::Private => "private",
            Class::UniqueLocal => "unique-local",
            Class::LinkLocal => "link-local",
            Class::Shared => "shared",
            Class::Multicast => "multicast",
            Class::Broadcast => "broadcast",
            Class::Unspecified => "unspecified",
            Class::Documentation => "documentation",
            Class::Benchmark => "benchmark",
            Class::Reserved => "reserved",
            Class::Metadata => "metadata",
        }
    }

    /// The class of an address. One in version 6 that stands for one in version 4 has the class of that.
    pub fn of(address: IpAddr) -> Class {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Loopback => "a loopback address",
            Class::Public => "a public address",
            Class::Private => "a private address",
            Class::UniqueLocal => "a private address (unique local)",
            Class::LinkLocal => "a link-local address",
            Class::Shared => "an address shared by a provider's customers",
            Class::Multicast => "a multicast address",
            Class::Broadcast => "a broadcast address",
            Class::Unspecified => "an unspecified address, which means this computer",
            Class::Documentation => "an address for documentation",
            Class::Benchmark => "an address for benchmarks",
            Class::Reserved => "a reserved address",
            Class::Metadata => "a metadata service, which holds a machine's secrets",
        })
    }
}

/// The address in version 4 that one in version 6 stands for, where there is exactly one. Who allows or blocks the one means the other too.
pub(crate) fn embedded(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let parts = address.segments();
    let last = Ipv4Addr::from_bits((u32::from(parts[6]) << 16) | u32::from(parts[7]));
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        // IPv4-compatible, IPv4-mapped (RFC 4291, 2.5.5), IPv4-translated (RFC 2765), NAT64 (RFC 6052; RFC 8215 as most use it).
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _]
        | [0x64, 0xff9b, 1, 0, 0, 0, _, _] => Some(last),
        // 6to4 (RFC 3056).
        [0x2002, high, low, ..] => Some(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))),
        // Teredo: the client's, with every bit turned over (RFC 4380, 4).
        [0x2001, 0, ..] => Some(Ipv4Addr::from_bits(!last.to_bits())),
        _ => None,
    }
}

fn of_v4(address: Ipv4Addr) -> Class {
    if is_metadata_v4(address) {
        return Class::Metadata;
    }
    match address.octets() {
        [0, 0, 0, 0] => Class::Unspecified,
        [255, 255, 255, 255] => Class::Broadcast,
        [127, ..] => Class::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Class::Private,
        [100, 64..=127, ..] => Class::Shared,
        [169, 254, ..] => Class::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Class::Documentation,
        [198, 18..=19, ..] => Class::Benchmark,
        [224..=239, ..] => Class::Multicast,
        // This network, protocol assignments, the relays of 6to4, the space that was never given out.
        [0, ..] | [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => Class::Reserved,
        _ => Class::Public,
    }
}

/// The services that are known, by their operators' documentation.
fn is_metadata_v4(address: Ipv4Addr) -> bool {
    matches!(
        address.octets(),
        // Nearly every cloud is at .169.254, AWS has more beside it (.170.2 and .170.23 for containers), Rancher is at .169.250.
        [169, 254, 169 | 170, _]
            // Tencent, Scaleway.
            | [169, 254, 0, 23] | [169, 254, 42, 42]
            // Alibaba, in the shared space; Azure's wire server, in public space; Oracle Cloud Classic.
            | [100, 100, 100, 200] | [168, 63, 129, 16] | [192, 0, 0, 192]
    )
}

fn of_v6(address: Ipv6Addr) -> Class {
    let parts = address.segments();
    let is_metadata = match parts {
        // AWS (its services are in fd00:ec2::/32), GCP, Scaleway, OpenStack.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254] | [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42] => {
            true
        }
        [0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe] => true,
        // Local NAT64 may put the address in other places than the end (RFC 6052, 2.2).
        [0x64, 0xff9b, 1, ..] => {
            let bits = address.to_bits();
            let at = |from: u32| ((bits >> (96 - from)) & 0xffff_ffff) as u32;
            // After bit 64 eight bits are left out.
            let around = |before: u32| {
                let high = at(64 - before) >> (32 - before);
                let low = (bits >> (24 + before)) as u32 & (u32::MAX >> before);
                (high << (32 - before)) | low
            };
            [around(16), around(8), at(72), at(96)]
                .into_iter()
                .any(|it| is_metadata_v4(Ipv4Addr::from_bits(it)))
        }
        _ => false,
    };
    if is_metadata {
        return Class::Metadata;
    }
    // The server of a Teredo address is connected to as well.
    if let [0x2001, 0, high, low, ..] = parts {
        let server = of_v4(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)));
        if server != Class::Public {
            return server;
        }
    }
    if let Some(inside) = embedded(address.into()) {
        return of_v4(inside);
    }
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0] => Class::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        [0x64, 0xff9b, 1, ..] => Class::Private,
        [0xfc00..=0xfdff, ..] => Class::UniqueLocal,
        [0xfe80..=0xfebf, ..] => Class::LinkLocal,
        [0xfec0..=0xfeff, ..] => Class::Private,
        [0xff00..=0xffff, ..] => Class::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Class::Documentation,
        [0x2001, 2, 0, ..] => Class::Benchmark,
        // Protocol assignments (2001::/23).
        [0x2001, 0..=0x1ff, ..] => Class::Reserved,
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Reserved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        for (wanted, addresses) in [
            ("public", "1.1.1.1 8.8.8.8 93.184.216.34 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0"),
            ("public", "192.167.255.255 192.169.0.0 169.253.255.255 169.255.0.0 198.17.255.255 198.20.0.0"),
            ("public", "223.255.255.255 126.255.255.255 128.0.0.0 9.255.255.255 11.0.0.0 192.0.1.0"),
            ("public", "2606:4700::1111 2a00:1450::1 2001:4860:4860::8888 2001:200::1 3ffe::1"),
            ("loopback", "127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1"),
            ("loopback", "64:ff9b::127.0.0.1 64:ff9b:1::127.0.0.1 2002:7f00:1:: 2002:7f00:1::1"),
            ("loopback", "2001:0:4136:e378:8000:63bf:80ff:fffe 2001:0:7f00:1::f7f7:f7f7"),
            ("private", "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255"),
            (
                "private",
                "::ffff:10.0.0.1 64:ff9b::192.168.1.1 2002:c0a8:101::1 fec0::1 64:ff9b:1:808:8:800::",
            ),
            ("unique-local", "fc00::1 fd00::1 fdff:ffff::1"),
            ("link-local", "169.254.0.1 169.254.255.255 fe80::1 febf::1 ::ffff:169.254.1.1"),
            ("shared", "100.64.0.0 100.127.255.255"),
            ("multicast", "224.0.0.1 239.255.255.250 ff02::1 ffff::"),
            ("broadcast", "255.255.255.255 ::ffff:255.255.255.255"),
            ("unspecified", "0.0.0.0 :: ::ffff:0.0.0.0 2002:0:0::1"),
            ("documentation", "192.0.2.1 198.51.100.1 203.0.113.255 2001:db8::1 3fff:fff::1"),
            ("benchmark", "198.18.0.1 198.19.255.255 2001:2::1"),
            ("reserved", "0.0.0.1 0.255.255.255 192.0.0.1 192.88.99.1 240.0.0.1 255.255.255.254"),
            ("reserved", "100::1 5f00::1 4000::1 8000::1 2001:20::1 2001:1ff::1 1::1 64:ff9b:2::1"),
            ("metadata", "169.254.169.254 169.254.170.2 169.254.170.23 169.254.0.23 169.254.42.42"),
            ("metadata", "100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23"),
            ("metadata", "fd20:ce::254 fd00:42::42 fe80::a9fe:a9fe ::ffff:169.254.169.254 ::169.254.169.254"),
            ("metadata", "64:ff9b::169.254.169.254 64:ff9b:1::169.254.169.254 2002:a9fe:a9fe::1"),
            ("metadata", "64:ff9b:1:a9fe:a9:fe00:: 64:ff9b:1:a9:fe:a9fe:: 64:ff9b:1:0:a9:fea9:fe00::"),
            ("metadata", "2001:0:4136:e378:8000:63bf:5601:5601 ::ffff:0:169.254.169.254"),
        ] {
            for address in addresses.split(' ') {
                assert_eq!(Class::of(address.parse().unwrap()).word(), wanted, "{address}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn the_standard_library_sees_nothing_special_in_what_is_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            if of_v4(address) == Class::Public {
                let is_special = address.is_private() || address.is_loopback() || address.is_link_local()
                    || address.is_multicast() || address.is_broadcast() || address.is_unspecified() || address.is_documentation();
                proptest::prop_assert!(!is_special, "{address}");
            }
        }

        #[test]
        fn what_stands_for_another_address_has_its_class(bits: u32) {
            let inside = Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = inside.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            for parts in [
                [0, 0, 0, 0, 0, 0xffff, high, low],
                [0x64, 0xff9b, 0, 0, 0, 0, high, low],
                [0x64, 0xff9b, 1, 0, 0, 0, high, low],
                [0x2002, high, low, 0, 0, 0, 0, 1],
                [0x2001, 0, 0x808, 0x808, 0, 0, !high, !low],
            ] {
                proptest::prop_assert_eq!(of_v6(Ipv6Addr::from(parts)), of_v4(inside), "{}", inside);
            }
        }
    }
}
