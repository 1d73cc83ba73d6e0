//! Statements as Rust source.

use crate::program::Program;
use crate::source::expression::{bare, read};
use crate::statement::{Change, Loop, Reduction, Statement};

/// Prints statements, each on its own line, so many steps to the right.
pub(super) fn statements(program: &Program, statements: &[Statement], depth: usize, text: &mut String) {
    statements.iter().for_each(|statement| print(program, statement, depth, text));
}

fn line(depth: usize, text: &mut String, line: &str) {
    text.push_str(&"    ".repeat(depth));
    text.push_str(line);
    text.push('\n');
}

fn print(program: &Program, statement: &Statement, depth: usize, text: &mut String) {
    match statement {
        Statement::Let { name, is_mutable, value } => {
            let mutable = if *is_mutable { "mut " } else { "" };
            line(depth, text, &format!("let {mutable}{name} = {};", bare(program, value)));
        }
        Statement::Set { name, change, value } => {
            line(depth, text, &format!("{name} {} {};", sign(*change), bare(program, value)));
        }
        Statement::Write { access, change, value } => {
            let place = read(program, *access);
            line(depth, text, &format!("{place} {} {};", sign(*change), bare(program, value)));
        }
        Statement::Reduce { access, reduction, score, value } => {
            let place = read(program, *access);
            let score = score.as_ref().map_or(String::new(), |score| format!("{}, ", bare(program, score)));
            line(depth, text, &reduce(&place, *reduction, &format!("{score}{}", bare(program, value))));
        }
        Statement::Break => line(depth, text, "break;"),
        Statement::Return(value) => line(depth, text, &format!("return {};", bare(program, value))),
        Statement::If { .. } => condition(program, statement, depth, text),
        Statement::Repeat { .. } => repetition(program, statement, depth, text),
    }
}

fn sign(change: Change) -> &'static str {
    match change {
        Change::Assign => "=",
        Change::Add => "+=",
        Change::Subtract => "-=",
        Change::Multiply => "*=",
        Change::Or => "|=",
        Change::And => "&=",
        Change::Exclusive => "^=",
    }
}

fn reduce(place: &str, reduction: Reduction, value: &str) -> String {
    match reduction {
        Reduction::Sum => format!("{place} += {value};"),
        Reduction::Difference => format!("{place} -= {value};"),
        Reduction::Product => format!("{place} *= {value};"),
        Reduction::Min => format!("{place}.min_with({value});"),
        Reduction::Max => format!("{place}.max_with({value});"),
        Reduction::Mean => format!("{place}.mean_with({value});"),
        Reduction::Softmax => format!("{place}.softmax_add({value});"),
        Reduction::LogSum => format!("{place}.log_sum_exp_with({value});"),
        Reduction::Or => format!("{place} |= {value};"),
        Reduction::And => format!("{place} &= {value};"),
    }
}

fn condition(program: &Program, statement: &Statement, depth: usize, text: &mut String) {
    let Statement::If { condition, then, otherwise } = statement else { return };
    line(depth, text, &format!("if {} {{", bare(program, condition)));
    statements(program, then, depth + 1, text);
    if !otherwise.is_empty() {
        line(depth, text, "} else {");
        statements(program, otherwise, depth + 1, text);
    }
    line(depth, text, "}");
}

fn repetition(program: &Program, statement: &Statement, depth: usize, text: &mut String) {
    let Statement::Repeat { form, round, count, body } = statement else { return };
    match form {
        Loop::For => line(depth, text, &format!("for {round} in 0..{count}_u32 {{")),
        Loop::While => {
            line(depth, text, &format!("let mut {round} = 0_u32;"));
            line(depth, text, &format!("while {round} < {count} {{"));
        }
    }
    statements(program, body, depth + 1, text);
    if *form == Loop::While {
        line(depth + 1, text, &format!("{round} += 1;"));
    }
    line(depth, text, "}");
}
