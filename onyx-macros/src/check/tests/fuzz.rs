use super::messages_of;
use crate::parse::function::Kind;
#[test]
fn sort() {
    let bodies = std::fs::read_to_string("/tmp/fuzz/bodies.txt").unwrap();
    let (mut accepted, mut all) = (String::new(), String::new());
    for body in bodies.lines() {
        let block: syn::Block = syn::parse_str(&format!("{{ {body} }}")).unwrap_or_else(|e| panic!("{body} {e}"));
        let item: syn::ItemFn =
            syn::parse_quote! { fn act<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #block };
        let found = messages_of(Kind::Vertex, &item);
        if found.is_empty() {
            accepted += body;
            accepted += "\n";
        }
        all += &format!("{found:?}\n");
    }
    std::fs::write("/tmp/fuzz/accepted.txt", accepted).unwrap();
    std::fs::write("/tmp/fuzz/messages.txt", all).unwrap();
}
