//! What a file says, as a message or a report can show it.

use std::borrow::Cow;
use std::fmt::Write;

/// At most this many characters are quoted.
const MOST: usize = 80;

/// The first line of `bytes` for a message: what a terminal would obey, and what is no UTF-8, is escaped; a long line is cut.
pub fn quoted(bytes: impl AsRef<[u8]>) -> String {
    let line = bytes.as_ref().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A character has four bytes at most, so that a line of gigabytes need not be looked at.
    let shown = &line[..line.len().min(4 * MOST + 4)];
    let mut text = String::new();
    for (index, letter) in letters(shown).enumerate() {
        if index == MOST {
            text.push('…');
            break;
        }
        // Writing to a string does not fail.
        let _ = match letter {
            Ok(character) if is_obeyed(character) => write!(text, "{}", escape(character)),
            Ok(character) => write!(text, "{character}"),
            Err(byte) => write!(text, "\\x{byte:02x}"),
        };
    }
    text
}

/// The characters, and the bytes that are part of none.
fn letters(bytes: &[u8]) -> impl Iterator<Item = Result<char, u8>> {
    bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().copied().map(Err)))
}

/// `text` with what a terminal would obey escaped.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let escape = |character| if is_obeyed(character) { escape(character) } else { String::from(character) };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Whether a terminal shows something else than a sign: it is controlled, or turns the order of others around, or shows nothing at all.
fn is_obeyed(character: char) -> bool {
    let is_invisible = matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    character.is_control() || is_invisible
}

/// A character by its number, but a tab as everybody writes it.
fn escape(character: char) -> String {
    match character {
        '\t' => "\\t".to_owned(),
        '\0'..='\u{ff}' => format!("\\x{:02x}", u32::from(character)),
        _ => character.escape_unicode().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_but_signs() {
        assert_eq!(quoted("3 four\r\nfive"), "3 four");
        assert_eq!(quoted("1\t2 \u{1b}[31mred\u{7}"), "1\\t2 \\x1b[31mred\\x07");
        assert_eq!(quoted(b"caf\xe9 \xc3\xa9 \xf0\x9f"), "caf\\xe9 é \\xf0\\x9f");
        assert_eq!(quoted("\u{feff}1\u{202e}2\u{9b}"), "\\u{feff}1\\u{202e}2\\x9b");
        assert_eq!(escaped("plain ä"), "plain ä");
        assert_eq!(escaped("a\u{1b}]0;title\u{7}\nb"), "a\\x1b]0;title\\x07\\x0ab");
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(quoted("ä".repeat(100_000)), "ä".repeat(80) + "…");
        assert_eq!(quoted("ä".repeat(80)), "ä".repeat(80));
        assert_eq!(quoted([0xff; 1000]), "\\xff".repeat(80) + "…");
    }
}
