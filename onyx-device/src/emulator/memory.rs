//! The arrays that a launch may reach, by name.

/// One array: its name, and the addresses from `begin` up to `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Array {
    name: String,
    begin: usize,
    end: usize,
}

/// The arrays of a launch. An access outside of all of them is an error that names the nearest.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Ascending by address; arrays do not overlap.
    arrays: Vec<Array>,
}

/// Where an address lies: in an array, or beside the nearest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The array's name; empty where there is no array at all.
    pub array: String,
    /// The distance from the array's beginning, in bytes; negative before it.
    pub offset: i64,
    /// The array's length in bytes.
    pub length: u64,
}

impl Memory {
    /// Adds the array of `bytes` bytes at `address`. An array of nothing is never reached, and not kept.
    pub fn add(&mut self, name: impl Into<String>, address: usize, bytes: usize) {
        if bytes > 0 {
            let at = self.arrays.partition_point(|array| array.begin < address);
            self.arrays.insert(at, Array { name: name.into(), begin: address, end: address + bytes });
        }
    }

    /// Gives the array at `address` another name.
    pub fn rename(&mut self, address: usize, name: impl Into<String>) {
        if let Some(array) = self.arrays.iter_mut().find(|array| array.begin == address) {
            array.name = name.into();
        }
    }

    /// Forgets the array at `address`.
    pub fn remove(&mut self, address: usize) {
        self.arrays.retain(|array| array.begin != address);
    }

    /// Whether `bytes` bytes at `address` lie inside of one array.
    pub fn contains(&self, address: usize, bytes: usize) -> bool {
        let before = self.arrays.partition_point(|array| array.begin <= address);
        before > 0 && address + bytes <= self.arrays[before - 1].end
    }

    /// The array that an address lies in, or the nearest one.
    pub fn place(&self, address: usize) -> Place {
        let distance = |array: &&Array| array.begin.saturating_sub(address).max(address.saturating_sub(array.end));
        let Some(array) = self.arrays.iter().min_by_key(distance) else {
            return Place { array: String::new(), offset: address as i64, length: 0 };
        };
        let offset = address.wrapping_sub(array.begin) as i64;
        Place { array: array.name.clone(), offset, length: (array.end - array.begin) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    fn two() -> Memory {
        let mut memory = Memory::default();
        memory.add("label", 2000, 16);
        memory.add("weight", 1000, 8);
        memory.add("nothing", 1500, 0);
        memory
    }

    #[test]
    fn accesses_lie_inside_of_one_array() {
        let memory = two();
        assert!(memory.contains(1000, 8) && memory.contains(2012, 4));
        assert!(!memory.contains(1004, 8) && !memory.contains(999, 4) && !memory.contains(1500, 1));
    }

    #[test]
    fn the_nearest_array_is_named() {
        let place = two().place(2016);
        assert_eq!((place.array.as_str(), place.offset, place.length), ("label", 16, 16));
        let place = two().place(996);
        assert_eq!((place.array.as_str(), place.offset), ("weight", -4));
        assert_eq!(Memory::default().place(7).array, "");
    }

    #[test]
    fn arrays_are_renamed_and_removed() {
        let mut memory = two();
        memory.rename(1000, "mass");
        assert_eq!(memory.place(1000).array, "mass");
        memory.remove(1000);
        assert!(!memory.contains(1000, 4));
    }
}
