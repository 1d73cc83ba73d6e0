//! Text put together at compile time, for messages that name what only the compiler knows.

/// How long a text may be; the rest is cut off.
const CAPACITY: usize = 1024;

/// A text that grows at compile time.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Text {
    /// A text of nothing.
    pub const fn new() -> Self {
        Self { bytes: [0; CAPACITY], length: 0 }
    }

    /// The text with `part` after it.
    pub const fn then(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        let mut at = 0;
        while at < part.len() && self.length < CAPACITY {
            self.bytes[self.length] = part[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    /// The text as a string.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn parts_follow_each_other() {
        assert_eq!(Text::new().then("`a` reads `").then("rank").then("`").as_str(), "`a` reads `rank`");
    }
}
