//! What the macros refuse, and what they say then.

#[test]
fn every_mistake_has_its_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
