//! What `ptxas -v` says about each kernel.

/// The resources of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub entry: String,
    pub registers: u32,
    /// Static shared memory, in bytes.
    pub shared: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
}

impl Usage {
    /// Bytes that go to memory and back for want of registers.
    pub fn spills(&self) -> u32 {
        self.spill_stores + self.spill_loads
    }
}

/// Reads the report of `ptxas -v`.
pub fn parse(report: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    for line in report.lines() {
        if let Some(entry) = compiled_entry(line) {
            usages.push(Usage { entry: entry.to_string(), ..Usage::default() });
        } else if let Some(usage) = usages.last_mut() {
            read_line(usage, line);
        }
    }
    usages
}

fn compiled_entry(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("Compiling entry function '")?;
    rest.split('\'').next()
}

fn read_line(usage: &mut Usage, line: &str) {
    if line.contains("spill stores") {
        usage.spill_stores = before(line, " bytes spill stores");
        usage.spill_loads = before(line, " bytes spill loads");
    }
    if line.contains("Used ") {
        usage.registers = before(line, " registers");
        usage.shared = before(line, " bytes smem");
    }
}

/// The number that stands before some words, zero where they are absent.
fn before(line: &str, words: &str) -> u32 {
    let Some((head, _)) = line.split_once(words) else { return 0 };
    head.rsplit(|letter: char| !letter.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Usage, parse};

    const REPORT: &str = "ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function 'a__b__pull__k4' for 'sm_90'
ptxas info    : Function properties for a__b__pull__k4
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers
ptxas info    : Compile time = 1.742 ms
ptxas info    : Compiling entry function 'a__b__push__k128' for 'sm_90'
ptxas info    : Function properties for a__b__push__k128
    104 bytes stack frame, 104 bytes spill stores, 208 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 104 bytes cumulative stack size, 1024 bytes smem, 380 bytes cmem[0]
";

    #[test]
    fn every_kernel_is_reported() {
        let usages = parse(REPORT);
        assert_eq!(usages[0], Usage { entry: "a__b__pull__k4".to_string(), registers: 14, ..Usage::default() });
        let spilled = Usage {
            entry: "a__b__push__k128".to_string(),
            registers: 255,
            shared: 1024,
            spill_stores: 104,
            spill_loads: 208,
        };
        assert_eq!(usages[1], spilled);
        assert_eq!(usages[1].spills(), 312);
    }

    #[test]
    fn an_empty_report_has_no_kernels() {
        assert!(parse("").is_empty());
        assert!(parse("ptxas info    : 0 bytes gmem").is_empty());
    }
}
