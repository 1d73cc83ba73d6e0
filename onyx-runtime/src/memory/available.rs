//! How much memory this process can still have.

use std::fs::File;
use std::io::Read;

/// The size of the small files of `/proc`, of which more need not be read.
const SMALL: usize = 1 << 12;
/// The limit of the addresses that a process may use, as `/proc` names it.
const ADDRESSES: &str = "Max address space";
/// Where the control groups of memory are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// How many bytes this process can still have: the least of what its limits, its control groups and the machine leave it. None where the
/// system does not say.
///
/// Nothing is allocated to find out.
pub fn available() -> Option<u64> {
    [limits(), group(), machine()].into_iter().flatten().min()
}

/// Whether the addresses that the process may use are limited (`ulimit -v`), so that those count that are only set apart.
pub fn is_limited() -> bool {
    let mut limits = [0; SMALL];
    read("/proc/self/limits", &mut limits).and_then(|limits| number(limits, ADDRESSES)).is_some()
}

/// What the limits of the process (`ulimit -v`, `ulimit -d`) leave it.
fn limits() -> Option<u64> {
    let (mut limits, mut status) = ([0; SMALL], [0; SMALL]);
    let (limits, status) = (read("/proc/self/limits", &mut limits)?, read("/proc/self/status", &mut status)?);
    let left = |limit: &str, used: &str| Some(number(limits, limit)?.saturating_sub(1024 * number(status, used)?));
    [left(ADDRESSES, "VmSize:"), left("Max data size", "VmData:")].into_iter().flatten().min()
}

/// What the machine has left, with what it can take back.
fn machine() -> Option<u64> {
    let mut text = [0; SMALL];
    let text = read("/proc/meminfo", &mut text)?;
    Some(1024 * (number(text, "MemAvailable:")? + number(text, "SwapFree:").unwrap_or(0)))
}

/// What the control groups around the process leave it.
fn group() -> Option<u64> {
    let mut text = [0; SMALL];
    let path = read("/proc/self/cgroup", &mut text)?.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let around = path.rmatch_indices('/').map(|(end, _)| &path[..end]);
    // A container often sees its own group as the root.
    [path].into_iter().chain(around).chain([""]).filter_map(left_in_group).min()
}

fn left_in_group(path: &str) -> Option<u64> {
    let (mut limit, mut used, mut statistics) = ([0; SMALL], [0; SMALL], [0; SMALL]);
    let limit: u64 = read_in_group(path, "memory.max", &mut limit)?.trim().parse().ok()?;
    let used: u64 = read_in_group(path, "memory.current", &mut used)?.trim().parse().ok()?;
    let statistics = read_in_group(path, "memory.stat", &mut statistics)?;
    // Pages of files that were read are taken back when memory is needed.
    let files: u64 = ["inactive_file ", "active_file "].iter().filter_map(|name| number(statistics, name)).sum();
    Some(limit.saturating_sub(used.saturating_sub(files)))
}

fn read_in_group<'a>(path: &str, name: &str, buffer: &'a mut [u8; SMALL]) -> Option<&'a str> {
    let mut place = [0; SMALL];
    let mut length = 0;
    for part in [GROUPS, "/", path, "/", name] {
        place.get_mut(length..length + part.len())?.copy_from_slice(part.as_bytes());
        length += part.len();
    }
    read(str::from_utf8(&place[..length]).ok()?, buffer)
}

/// The beginning of a file.
fn read<'a>(path: &str, buffer: &'a mut [u8; SMALL]) -> Option<&'a str> {
    let mut file = File::open(path).ok()?;
    let mut length = 0;
    while let Ok(count @ 1..) = file.read(&mut buffer[length..]) {
        length += count;
    }
    str::from_utf8(&buffer[..length]).ok()
}

/// The first number of the line that begins with `name`.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_lines() {
        let text = "Name:\tonyx\nVmSize:\t  123 kB\nMax data size             unlimited            unlimited  bytes\n";
        assert_eq!((number(text, "VmSize:"), number(text, "VmData:")), (Some(123), None));
        assert_eq!(number(text, "Max data size"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_machine_has_memory_left() {
        assert!(available().is_some_and(|available| available > 1 << 20));
    }
}
