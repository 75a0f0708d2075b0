//! How the parts of a description are put together.

use super::query::{How, Query, Relation, Wanted};

/// Whether any of many would do: that says nothing about a place.
pub(super) fn is_any_entry(anchor: &Query) -> bool {
    anchor.role == Some(Wanted::Entry)
        && anchor.name.is_empty()
        && anchor.ordinal.is_none()
        && anchor.relations.is_empty()
}

/// Makes an anchor hold for a head. `at the top` is no anchor but a side; `on the page` is none at all.
pub(super) fn attach(head: &mut Query, how: How, mut anchor: Query) -> Option<()> {
    let is_name = anchor.role.is_none() && anchor.ordinal.is_none() && !anchor.name.is_empty();
    // `the review by Mike`
    let is_of = how == How::Of || (how == How::NextTo && head.role.is_some_and(Wanted::is_one_of_many));
    if is_of
        && is_name
        && head.name.is_empty()
        && head.ordinal.is_none()
        && head.role.is_some_and(Wanted::is_container)
    {
        // `the row of Alice` is the one that has her name.
        (head.name, head.quoted) = (anchor.name, anchor.quoted);
        head.relations.append(&mut anchor.relations);
        return Some(());
    }
    if anchor.role == Some(Wanted::Page) && anchor.name.is_empty() {
        anchor.role = None;
        if anchor.sides.is_empty() && anchor.relations.is_empty() {
            // `page 2` is not any 2.
            head.name.parse::<u32>().is_err().then_some(())?;
            return Some(());
        }
    }
    head.taken += anchor.taken;
    if !anchor.is_bare() {
        // `in the top right of the dialog`: the sides are those of the element. `in the left sidebar`: those of what it is in.
        let is_part = anchor.role.is_some_and(Wanted::is_container);
        if !anchor.sides.is_empty() && !is_part && matches!(how, How::In | How::Of) {
            head.sides.append(&mut anchor.sides);
        }
        head.relations.push(Relation { how, anchor });
        return Some(());
    }
    if !anchor.colours.is_empty()
        || anchor.ordinal.is_some()
        || !anchor.states.is_empty()
        || anchor.sides.is_empty()
    {
        return None;
    }
    head.sides.append(&mut anchor.sides);
    for relation in anchor.relations {
        let how = if relation.how == How::Of { How::In } else { relation.how };
        head.relations.push(Relation { how, ..relation });
    }
    Some(())
}

/// What was said of the same element in two places.
pub(super) fn merge(mut first: Query, second: Query) -> Option<Query> {
    first.role = second.role;
    first.quoted |= second.quoted;
    first.name = [&*first.name, &*second.name]
        .iter()
        .filter(|name| !name.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    first.colours.extend(second.colours);
    first.states.extend(second.states);
    first.sides.extend(second.sides);
    first.relations.extend(second.relations);
    if first.ordinal.is_some() && second.ordinal.is_some() {
        return None;
    }
    first.ordinal = first.ordinal.or(second.ordinal);
    first.numbered = first.numbered.or(second.numbered);
    first.taken += second.taken;
    Some(first)
}
