//! Attacks through the fronts: whoever attacks has what a page, a model or a client has, and what came of it is counted at the site.

mod deeds;
