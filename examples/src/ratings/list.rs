//! Files of a user a line: `user item item ...`.

use super::names::Catalog;
use super::table::Rating;
use super::text::lines;

/// Parses a user a line, with the items that he had to do with: each rating is 1. A user may be without items.
pub fn parse(text: &str, catalog: &mut Catalog) -> Vec<Rating> {
    let mut ratings = Vec::new();
    for (_, line) in lines(text) {
        let mut words = line.split_whitespace();
        let Some(user) = words.next() else { continue };
        let user = catalog.users.number(user);
        ratings.extend(words.map(|item| Rating { user, item: catalog.items.number(item), value: 1.0 }));
    }
    ratings
}
