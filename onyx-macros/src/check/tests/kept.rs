use super::{accepted, refused};

#[test]
fn references_are_not_kept() {
    refused(
        "`r` is a reference and is used after a collaborative operation",
        &[
            "let x = d.x[v][f]; let r = &x; let t = sum(x); d.y[v][f] = *r + t",
            "let mut x = d.x[v][f]; let r = &mut x; let t = sum(1.0); *r += t",
            "let x = 1.0; let ref r = x; let t = sum(1.0); d.y[v][f] = *r",
            "let x = 1.0; let r: &f32 = pick(x); let t = sum(1.0); d.y[v][f] = *r",
            "let (x, y) = (1.0, 2.0); let (a, r) = (x, &y); let t = sum(a); d.y[v][f] = *r",
            "let x = (1.0, 2.0); let (r, _) = &x; let t = sum(1.0); d.y[v][f] = *r",
            "let x = (1.0, 2.0); let (ref r, _) = x; let t = sum(1.0); d.y[v][f] = *r",
            "let x = 1.0; let r = &x; d.y[v][f] = *r + sum(x)",
        ],
    );
    accepted(&[
        "let x = 1.0; let r = &x; let y = *r; let t = sum(y); d.y[v][f] = y",
        "let x = 1.0; let r = &x; let y = *r; let r = 2.0; let t = sum(y); d.y[v][f] = r",
        "let x = 1.0; let &r = &x; let t = sum(r); d.y[v][f] = r",
        "let x = 1.0; let r = *&x; let t = sum(r); d.y[v][f] = r",
        "let x = 1.0; let t = sum(x); let r = &x; d.y[v][f] = *r",
    ]);
}

#[test]
fn closures_keep_copies() {
    refused(
        "put `move` in front of it",
        &[
            "let a = 1.0; let g = |x: f32| x * a; let t = sum(a); d.y[v][f] = g(t)",
            "let mut a = 1.0; let mut g = |x: f32| a += x; let t = sum(1.0); g(t)",
            "let g = |x: f32| x * f.index() as f32; let t = sum(1.0); d.y[v][f] = g(t)",
            "let g = |x: f32| x * v.0 as f32; let t = sum(1.0); d.y[v][f] = g(t)",
        ],
    );
    refused(
        "give it the property as an argument",
        &[
            "let g = |x: f32| x * d.x[v][f]; let t = sum(1.0); d.y[v][f] = g(t)",
            "let g = move |x: f32| x * d.alpha; let t = sum(1.0); d.y[v][f] = g(t)",
        ],
    );
    accepted(&[
        "let a = 1.0; let g = move |x: f32| x * a; let t = sum(a); d.y[v][f] = g(t)",
        "let g = |x: f32| { let y = x; y * LIMIT }; let t = sum(1.0); d.y[v][f] = g(t)",
        "let g = |x: f32| x * d.x[v][f]; d.y[v][f] = g(2.0)",
    ]);
}

#[test]
fn a_variable_without_a_value_is_not_kept() {
    refused("give `x` a value here", &["let x; let t = sum(1.0); x = t; d.y[v][f] = x"]);
}
