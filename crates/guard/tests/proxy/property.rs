//! Whatever names lead to and whatever is allowed: who was connected to had been checked and allowed.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use guard::{
    Places,
    proxy::{Limits, Proxy, Setup},
};
use proptest::{collection::vec, prelude::*};

use crate::support::*;

const HOSTS: u8 = 5;

#[derive(Debug, Clone)]
enum Ask {
    Get(u8),
    Tunnel(u8),
    Number(u8),
}

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    let ask = prop_oneof![
        (0..3u8).prop_map(Ask::Get),
        (0..3u8).prop_map(Ask::Tunnel),
        (1..=HOSTS).prop_map(Ask::Number)
    ];
    vec(ask, 1..8)
}

fn address(host: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, host).into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Five servers on five addresses of this computer. Some are allowed by number, some names by name. Each name leads to some of
    /// them, and may lead elsewhere each time that it is looked up.
    #[test]
    fn nobody_else_is_connected_to(
        allowed in vec(any::<bool>(), HOSTS as usize),
        by_name in vec(any::<bool>(), 3),
        answers in vec(vec(vec(1..=HOSTS, 1..4), 1..4), 3),
        asks in asks(),
        remembers: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let seen = runtime.block_on(async {
            let first = Server::at((address(1), 0), echo).await;
            let port = first.port();
            let mut servers = vec![first];
            for host in 2..=HOSTS {
                servers.push(Server::at(SocketAddr::new(address(host), port), echo).await);
            }
            let lines: Vec<String> = answers.iter().enumerate().map(|(name, answers)| {
                let answers: Vec<_> = answers.iter()
                    .map(|hosts| hosts.iter().map(|host| address(*host).to_string()).collect::<Vec<_>>().join(" "))
                    .collect();
                format!("n{name}.example = {}", answers.join(" | "))
            }).collect();
            let by_number = (1..=HOSTS).filter(|host| allowed[usize::from(*host) - 1]).map(|host| address(host).to_string());
            let named = (0..3).filter(|name| by_name[*name]).map(|name| format!("n{name}.example:{port}"));
            let allow = by_number.chain(named).map(|text| text.parse().unwrap()).collect();
            let names = if remembers { Duration::from_secs(60) } else { Duration::ZERO };
            let proxy = Proxy::start_with(Setup {
                places: Arc::new(Places { allow, ..Places::default() }),
                upstream: None,
                resolver: Told::new(&lines.iter().map(String::as_str).collect::<Vec<_>>()),
                limits: Limits { names, ..Limits::default() },
            }).await.unwrap();
            let mut kept = Wire::to(proxy.address()).await;
            for ask in &asks {
                match ask {
                    Ask::Get(name) => { kept.get(&format!("http://n{name}.example:{port}/")).await; }
                    Ask::Number(host) => { kept.get(&format!("http://{}:{port}/", address(*host))).await; }
                    Ask::Tunnel(name) => {
                        let mut wire = Wire::to(proxy.address()).await;
                        wire.tunnel(&format!("n{name}.example:{port}")).await;
                    }
                }
            }
            servers.iter().map(Server::connections).collect::<Vec<_>>()
        });
        // What a name that is allowed by name may have led to.
        for host in 1..=HOSTS {
            let by_some_name = (0..3).any(|name| {
                let is_asked = asks.iter().any(|ask| matches!(ask, Ask::Get(it) | Ask::Tunnel(it) if usize::from(*it) == name));
                by_name[name] && is_asked && answers[name].iter().flatten().any(|it| *it == host)
            });
            let may = allowed[usize::from(host) - 1] || by_some_name;
            prop_assert!(may || seen[usize::from(host) - 1] == 0, "{} saw {} connections", address(host), seen[usize::from(host) - 1]);
        }
    }
}
