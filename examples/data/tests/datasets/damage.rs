//! Files that are cut short, or in which bytes were changed.

use proptest::prelude::*;
use proptest::sample::Index;

/// What is done to the content of a file.
#[derive(Clone, Debug)]
pub enum Damage {
    /// It ends here.
    Cut(Index),
    /// A byte is another one.
    Change(Index, u8),
    /// A byte is there twice as often as it was.
    Double(Index, u8),
    /// A byte is not there.
    Leave(Index),
}

/// Bytes that mean something to one of the readers, and any others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![prop::sample::select(b"0123456789 -:,.\n#PK{}()'<f".to_vec()), any::<u8>()]
}

/// Something that happens to a file.
pub fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        1 => any::<Index>().prop_map(Damage::Cut),
        4 => (any::<Index>(), byte()).prop_map(|(place, byte)| Damage::Change(place, byte)),
        2 => (any::<Index>(), byte()).prop_map(|(place, byte)| Damage::Double(place, byte)),
        1 => any::<Index>().prop_map(Damage::Leave),
    ]
}

impl Damage {
    /// Does it to `content`.
    pub fn to(&self, content: &mut Vec<u8>) {
        let place = |index: &Index| index.index(content.len().max(1));
        match self {
            _ if content.is_empty() => {}
            Self::Cut(index) => content.truncate(place(index)),
            Self::Change(index, byte) => {
                let place = place(index);
                content[place] = *byte;
            }
            Self::Double(index, byte) => content.insert(place(index), *byte),
            Self::Leave(index) => {
                content.remove(place(index));
            }
        }
    }
}
