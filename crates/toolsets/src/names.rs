//! Long lists of names in what is said of an unknown one: only the nearest are worth reading.

use crate::tool::distance;

/// How many names are listed at the most.
const MOST: usize = 8;

/// How many are listed of more than that.
const NEAREST: usize = 3;

/// What serde says of an unknown field, with the nearest few of a long list of fields; anything else as it is.
pub fn few(says: &str) -> String {
    let parts = says.split_once("unknown field `").and_then(|(before, rest)| {
        let (name, rest) = rest.split_once("`, expected one of ")?;
        let (list, after) = rest.split_once('\n').map_or((rest, ""), |(list, _)| (list, &rest[list.len()..]));
        Some((before, name, list, after))
    });
    let Some((before, name, list, after)) = parts else { return says.to_owned() };
    let mut names: Vec<&str> = list.split(", ").map(|name| name.trim_matches('`')).collect();
    if names.len() <= MOST {
        return says.to_owned();
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let wanted = plain(name);
    names.sort_by_key(|known| {
        let known = plain(known);
        let is_part = known.contains(&wanted) || wanted.contains(&known);
        (!is_part, distance(&wanted, &known))
    });
    let all = names.len();
    // A name that is like none of them has no nearest.
    let is_like = |known: &&str| {
        let known = plain(known);
        known.contains(&wanted)
            || wanted.contains(&known)
            || distance(&wanted, &known) * 2 <= wanted.chars().count()
    };
    if !names.iter().any(is_like) {
        return format!(
            "{before}unknown field `{name}`, which is like none of the {all} that are known{after}"
        );
    }
    let nearest: Vec<_> = names.into_iter().take(NEAREST).map(|name| format!("`{name}`")).collect();
    format!("{before}unknown field `{name}`; the nearest of {all} are {}{after}", nearest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_to_the_nearest_names() {
        let check = |says: &str, few_names: &str| assert_eq!(few(says), few_names);
        let long = "expected one of `session`, `headed`, `profile`, `viewport`, `timeout`, `idle_timeout`, `listen`, `hosts`, `mode`";
        check(
            &format!("unknown field `time_out`, {long}"),
            "unknown field `time_out`; the nearest of 9 are `timeout`, `idle_timeout`, `viewport`",
        );
        check(
            &format!("TOML parse error at line 1\nunknown field `hosst`, {long}\n"),
            "TOML parse error at line 1\nunknown field `hosst`; the nearest of 9 are `hosts`, `mode`, `session`\n",
        );
        check(
            &format!("unknown field `quux`, {long}"),
            "unknown field `quux`, which is like none of the 9 that are known",
        );
        for short in [
            "unknown field `x`, expected `y`",
            "unknown field `x`, expected one of `y`, `z`, `a`",
            "missing field `x`",
        ] {
            check(short, short);
        }
    }
}
