//! What is drawn keeps the rules, and its numbers are held by single floats.

use onyx_random::dice::Dice;
use onyx_random::generator;
use onyx_random::interpreter;
use onyx_random::name::{Name, Style};
use onyx_random::network::Network;
use onyx_random::rules;
use onyx_random::state::State;

/// A graph with loops and several edges between the same ends, each of which has a reverse.
fn network(seed: u64) -> Network {
    let mut dice = Dice::new(seed);
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for _ in 0..30 {
        let (source, destination) = (dice.below(12), dice.below(12));
        ends.push((source, destination));
        if source != destination {
            ends.push((destination, source));
        }
    }
    ends.sort_by_key(|(source, destination)| (*destination, *source));
    Network::new(12, &ends)
}

#[test]
fn programs_keep_the_rules_and_round_nothing_that_decides() {
    for seed in 0..3000 {
        for style in [Style::Plain, Style::History, Style::Width] {
            let name = Name::new(style, seed);
            let program = generator::draw(&name);
            assert_eq!(rules::broken(&program), None, "{name}\n{}", program.source());
            let network = network(seed);
            let mut state = State::new(&program, &network, 1 + seed as usize % program.widest(), seed);
            println!("{name}");
            (0..6).for_each(|_| {
                interpreter::iterate(&program, &network, &mut state);
            });
        }
    }
}
