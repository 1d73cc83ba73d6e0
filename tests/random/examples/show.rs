fn main() { for name in std::env::args().skip(1) { let p = onyx_random::generator::draw(&name.parse().unwrap()); println!("{}", p.source()); } }
