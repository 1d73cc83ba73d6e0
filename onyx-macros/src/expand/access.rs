//! Code that reaches properties: one function for each way that a property is reached, and access sets.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::token::Brace;
use syn::{Block, Expr, ExprBlock, Ident, Stmt, Type, parse_quote_spanned};

use crate::expand::data::at_width;
use crate::expand::function::Lowered;
use crate::lower::names::{known_at, name_at, numbered};
use crate::lower::plan::Plan;
use crate::lower::total::{Added, total_of};
use crate::message;
use crate::parse::access::{Access, Place};

/// The number of a property in the data, as a constant.
pub fn index(property: &Ident) -> Ident {
    name_at(&format!("INDEX_{}", property.unraw()), Span::mixed_site())
}

/// A set of properties, as a constant expression.
pub fn set<'a>(properties: impl IntoIterator<Item = &'a Ident>) -> TokenStream {
    let indices = properties.into_iter().map(index);
    let mixed = Span::mixed_site();
    quote_spanned!(mixed=> 0 #(| 1 << #indices)*)
}

/// What a property has for one feature, as a type: a float, or the row of a matrix.
pub fn feature(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::FeatureOf<#data, #field>)
}

/// What registers hold of a scalar property, as a type: a float or an integer.
pub fn register(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::RegisterOf<#data, #field>)
}

/// The type of a property's numbers in memory.
pub fn stored(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::StoredOf<#data, #field>)
}

/// The name of the constant that is a property's position.
fn field_name(property: &Ident) -> Ident {
    name_at(&format!("FIELD_{}", property.unraw()), Span::mixed_site())
}

/// The positions of all properties that the function reaches, as constants: the same at every number of features, of which 0 is one, so that the compiler compares names once.
pub fn fields(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let data = at_width(lowered.function.data.to_token_stream(), width(lowered), 0);
    let mut names: Vec<&Ident> = Vec::new();
    for access in lowered.plan.places() {
        if !names.contains(&&access.property) {
            names.push(&access.property);
        }
    }
    let fields = names.into_iter().map(|property| {
        let (field, index, name) = (field_name(property), index(property), property.unraw().to_string());
        quote_spanned! {mixed=>
            #[allow(dead_code, non_upper_case_globals)]
            const #field: u32 = ::onyx_device::property::field_of(
                <#data as ::onyx_device::property::GraphData>::PROPERTIES,
                #name,
            );
            #[allow(dead_code, non_upper_case_globals)]
            const #index: u32 = ::onyx_device::property::index_of(#field);
        }
    });
    let places = lowered.plan.places().into_iter();
    let features = places.filter(|access| access.is_row && access.matrix.is_none());
    let refused = features.map(|access| refuse_feature(access, &data));
    let products = lowered.totals.iter().map(|added| check_product(added, &data));
    let (fields, refused, products): (TokenStream, TokenStream, TokenStream) =
        (fields.collect(), refused.collect(), products.collect());
    quote_spanned!(mixed=> #fields #refused #products)
}

/// The name of the function that reaches an access's property.
pub fn place_name(lowered: &Lowered, access: &Access) -> Ident {
    numbered("place", lowered.plan.place_of(access))
}

/// The functions that reach properties. A wrong kind of property is reported at the user's access, once.
pub fn place_functions(lowered: &Lowered) -> TokenStream {
    lowered.plan.places().into_iter().map(|access| place_function(lowered, access)).collect()
}

fn place_function(lowered: &Lowered, access: &Access) -> TokenStream {
    let (name, generics, data) = (place_name(lowered, access), &lowered.function.generics, &lowered.function.data);
    let mixed = Span::mixed_site();
    let argument = property(access);
    let memory = stored(data, &access.property);
    let (parameters, output, body) = match access.place {
        _ if access.matrix.is_some() => factors(access, &memory),
        Place::Graph if lowered.plan.is_multiplied(access) => {
            let (at, width) = (mixed.located_at(access.property.span()), compiled_width(lowered));
            (
                TokenStream::new(),
                quote_spanned!(mixed=> *const f32),
                quote_spanned!(at=> ::onyx_device::graph_matrix::matrix::<#width>(#argument)),
            )
        }
        Place::Graph if access.is_row => (
            TokenStream::new(),
            quote_spanned!(mixed=> *mut f32),
            quote_spanned!(mixed=> ::onyx_device::property::GraphRow::row(#argument)),
        ),
        Place::Graph => (
            quote_spanned!(mixed=> , __machine: impl ::onyx_device::Machine),
            quote_spanned!(mixed=> f32),
            quote_spanned!(mixed=> unsafe { ::onyx_device::property::GraphValue::value(#argument, __machine) }),
        ),
        Place::Row => {
            let of = known_at(if total_of(&access.property).is_some() { "contributions" } else { "rows" }, mixed);
            (
                TokenStream::new(),
                quote_spanned!(mixed=> ::onyx_device::table::Rows),
                quote_spanned!(mixed=> ::onyx_device::table::TableRow::#of(#argument)),
            )
        }
        Place::Edge | Place::Reverse => {
            let path = edge_path(access.is_row);
            (
                quote_spanned!(mixed=> , __id: u64),
                quote_spanned!(mixed=> *mut #memory),
                quote_spanned!(mixed=> #path(#argument, __id)),
            )
        }
        _ => {
            let path = vertex_path(access);
            (
                quote_spanned!(mixed=> , __vertex: ::onyx_device::Vertex, __previous: bool),
                quote_spanned!(mixed=> *mut #memory),
                quote_spanned!(mixed=> #path(#argument, __vertex, __previous)),
            )
        }
    };
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn #name #generics (__data: &#data #parameters) -> #output {
            #body
        }
    }
}

/// What reaches a matrix and a row of another width: its parameters, its result and its body, shown at the user's tokens.
fn factors(access: &Access, memory: &TokenStream) -> (TokenStream, TokenStream, TokenStream) {
    let (mixed, row) = (Span::mixed_site(), property(access));
    let at = mixed.located_at(access.property.span());
    let (matrix, shown) = (access.matrix.as_ref().map(field), access.matrix.as_ref().map_or(at, Ident::span));
    let (parameters, row) = if matches!(access.place, Place::Edge | Place::Reverse) {
        let id = name_at("id", at);
        (
            quote_spanned!(mixed=> , __id: u64),
            quote_spanned!(at=> ::onyx_device::projection::EdgeWhole::whole(#row, #id)),
        )
    } else {
        let vertex = name_at("vertex", at);
        (
            quote_spanned!(mixed=> , __vertex: ::onyx_device::Vertex, _previous: bool),
            quote_spanned!(at=> ::onyx_device::projection::VertexWhole::whole(#row, #vertex)),
        )
    };
    let shown = mixed.located_at(shown);
    (
        parameters,
        quote_spanned!(mixed=> ::onyx_device::projection::Factors<#memory>),
        quote_spanned!(shown=> ::onyx_device::projection::Projects::factors(#matrix, #row)),
    )
}

/// Has the compiler compare the widths of a sum of products with those of what is multiplied.
fn check_product(added: &Added, data: &TokenStream) -> TokenStream {
    let Some(by) = &added.by else { return TokenStream::new() };
    let at = Span::mixed_site().located_at(by.property.span());
    let of = |property: &Ident| {
        let name = property.unraw().to_string();
        quote_spanned! {at=>
            <#data as ::onyx_device::property::Field<{
                ::onyx_device::property::field_of(<#data as ::onyx_device::property::GraphData>::PROPERTIES, #name)
            }>>::Property
        }
    };
    let (total, by_type) = (of(&added.total), of(&by.property));
    let (matrix, row) = if by.is_row { (total, by_type) } else { (by_type, total) };
    quote_spanned!(at=> const _: () = ::onyx_device::projection::multiplied::<#matrix, #row>();)
}

/// Refuses one feature of what has another number of them, where the user takes it.
fn refuse_feature(access: &Access, data: &TokenStream) -> TokenStream {
    let (at, property) = (Span::mixed_site().located_at(access.property.span()), &access.property);
    let (field, text) = (field_name(property), message::feature_of_input(property.unraw()));
    quote_spanned! {at=>
        const _: () = if ::onyx_device::projection::is_input(
            <#data as ::onyx_device::property::GraphData>::PROPERTIES,
            #field,
        ) {
            panic!(#text)
        };
    }
}

/// `&data.property`, shown at the user's tokens.
fn property(access: &Access) -> TokenStream {
    field(&total_of(&access.property).unwrap_or_else(|| access.property.clone()))
}

fn field(property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let data = name_at("data", at);
    quote_spanned!(at=> &#data.#property)
}

/// What reaches a vertex's value, or its contribution to a total of the graph.
fn vertex_path(access: &Access) -> TokenStream {
    let mixed = Span::mixed_site();
    match (total_of(&access.property).is_some(), access.is_row) {
        (false, true) => quote_spanned!(mixed=> ::onyx_device::property::VertexRow::row),
        (false, false) => quote_spanned!(mixed=> ::onyx_device::property::VertexValue::value),
        (true, true) => quote_spanned!(mixed=> ::onyx_device::total::TotalRow::row),
        (true, false) => quote_spanned!(mixed=> ::onyx_device::total::TotalValue::value),
    }
}

fn edge_path(is_row: bool) -> TokenStream {
    let mixed = Span::mixed_site();
    if is_row {
        quote_spanned!(mixed=> ::onyx_device::property::EdgeRow::row)
    } else {
        quote_spanned!(mixed=> ::onyx_device::property::EdgeValue::value)
    }
}

/// The number of features, an argument of what is loaded; nothing for data without features.
fn width(lowered: &Lowered) -> Option<&Ident> {
    lowered.function.generics.const_params().next().map(|width| &width.ident)
}

/// The compiled number of features, as a constant.
pub fn compiled_width(lowered: &Lowered) -> TokenStream {
    width(lowered).map_or_else(|| quote_spanned!(Span::mixed_site()=> 1), ToTokens::to_token_stream)
}

/// The type of the structure of what is loaded.
pub fn loads_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    quote_spanned!(mixed=> __Loads<#(#width,)* __V>)
}

/// The type of the structure of what is written.
pub fn written_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    quote_spanned!(mixed=> __Written<#(#width,)* __V>)
}

/// The structure of what is loaded; with it, of which properties the previous value is read at an index that is computed.
pub fn loads(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    let gathered = gathered(lowered).map(|gathered| quote_spanned!(mixed=> #gathered: u64)).into_iter();
    let fields = lowered.plan.loads.iter().enumerate().map(|(number, load)| {
        let (slot, of) = (numbered("slot", number), type_of(lowered, &load.access));
        quote_spanned!(mixed=> #slot: #of)
    });
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Loads<#(const #width: usize,)* const __V: usize> { #(#fields,)* #(#gathered,)* }
    }
}

/// The name of the field that says which properties are read at their previous value where the index is computed, if any is read so.
fn gathered(lowered: &Lowered) -> Option<Ident> {
    (!lowered.plan.gathers.is_empty()).then(|| name_at("gathered", Span::mixed_site()))
}

/// The structure of what is written, by whose properties a later function finds it.
pub fn written(lowered: &Lowered) -> TokenStream {
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let registers = || lowered.plan.registers.iter().enumerate();
    let fields = registers().map(|(number, register)| {
        let (name, of) = (numbered("register", number), type_of(lowered, &register.access));
        quote_spanned!(mixed=> #name: #of)
    });
    let (row, scalar) = (found(lowered, true), found(lowered, false));
    let (factors, found_factors) = (factors_of_outers(lowered), found_factors(lowered));
    let (width, written_type) = (width(lowered).into_iter(), written_type(lowered));
    let mut generics = lowered.function.generics.clone();
    generics.params.push(parse_quote_spanned!(mixed=> const __V: usize));
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Written<#(const #width: usize,)* const __V: usize> { #(#fields,)* #(#factors: [[f32; __V]; 2],)* }

        impl #generics ::onyx_device::registers::Registers<#data, __V> for #written_type {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn row<__X: ::onyx_device::value::Value>(&self, __property: u32) -> ::core::option::Option<[__X; __V]> {
                #row
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn scalar<__X: ::onyx_device::stored::Register>(&self, __property: u32) -> ::core::option::Option<__X> {
                #scalar
            }

            #found_factors
        }
    }
}

/// The numbers of the regions that end in an outer product which is a contribution to a total of the graph, and what has it.
pub fn outers(lowered: &Lowered) -> impl Iterator<Item = (usize, &Ident)> {
    let regions = lowered.regions.iter().enumerate();
    regions.filter_map(|(number, region)| Some((number, region.contribution.as_ref()?)))
}

/// The variables that have the rows of such products.
pub fn factors_of_outers(lowered: &Lowered) -> Vec<Ident> {
    outers(lowered).map(|(number, _)| numbered("factors", number)).collect()
}

/// Finds the rows of which a property is the outer product.
fn found_factors(lowered: &Lowered) -> TokenStream {
    if outers(lowered).next().is_none() {
        return TokenStream::new();
    }
    let mixed = Span::mixed_site();
    let arms = outers(lowered).map(|(number, property)| {
        let (index, name) = (index(property), numbered("factors", number));
        quote_spanned! {mixed=>
            if __property == #index {
                return ::core::option::Option::Some(self.#name);
            }
        }
    });
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn factors(&self, __property: u32) -> ::core::option::Option<[[f32; __V]; 2]> {
            #(#arms)*
            ::core::option::Option::None
        }
    }
}

/// The rows of the graph that the function reads: the number of each among what is loaded, and the access.
fn held_loads(lowered: &Lowered) -> impl Iterator<Item = (usize, &Access)> {
    let loads = lowered.plan.loads.iter().map(|load| &load.access).enumerate();
    loads.filter(|(_, access)| access.place == Place::Graph && access.is_row && access.matrix.is_none())
}

/// The type of the structure of those rows, or nothing.
pub fn held_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    if held_loads(lowered).next().is_none() {
        return quote_spanned!(mixed=> ());
    }
    quote_spanned!(mixed=> __Held<#(#width,)* __V>)
}

/// The structure of those rows, by whose properties the function finds them.
pub fn held(lowered: &Lowered) -> TokenStream {
    if held_loads(lowered).next().is_none() {
        return TokenStream::new();
    }
    let (mixed, data, held_type) = (Span::mixed_site(), &lowered.function.data, held_type(lowered));
    let fields = held_loads(lowered).map(|(number, access)| {
        let (slot, of) = (numbered("slot", number), type_of(lowered, access));
        quote_spanned!(mixed=> #slot: #of)
    });
    let arms = held_loads(lowered).map(|(number, access)| {
        let (slot, index) = (numbered("slot", number), index(&access.property));
        quote_spanned! {mixed=>
            if __property == #index {
                return ::onyx_device::value::cast(self.#slot);
            }
        }
    });
    let width = width(lowered).into_iter();
    let mut generics = lowered.function.generics.clone();
    generics.params.push(parse_quote_spanned!(mixed=> const __V: usize));
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Held<#(const #width: usize,)* const __V: usize> { #(#fields,)* }

        impl #generics ::onyx_device::registers::Registers<#data, __V> for #held_type {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn row<__X: ::onyx_device::value::Value>(&self, __property: u32) -> ::core::option::Option<[__X; __V]> {
                #(#arms)*
                ::core::option::Option::None
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn scalar<__X: ::onyx_device::stored::Register>(&self, _: u32) -> ::core::option::Option<__X> {
                ::core::option::Option::None
            }
        }
    }
}

/// The value of that structure, given the code that loads one access.
pub fn hold(lowered: &Lowered, code: impl Fn(&Access) -> TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let fields: Vec<TokenStream> = held_loads(lowered)
        .map(|(number, access)| {
            let (slot, code) = (numbered("slot", number), code(access));
            quote_spanned!(mixed=> #slot: #code)
        })
        .collect();
    if fields.is_empty() { TokenStream::new() } else { quote_spanned!(mixed=> __Held { #(#fields,)* }) }
}

/// Finds one of the written properties, with features or scalar.
fn found(lowered: &Lowered, is_row: bool) -> TokenStream {
    let mixed = Span::mixed_site();
    let registers = lowered.plan.registers.iter().enumerate();
    let arms = registers.filter(|(_, register)| register.access.is_row == is_row).map(|(number, register)| {
        let index = index(&register.access.property);
        let name = numbered("register", number);
        let value = if is_row {
            quote_spanned!(mixed=> ::onyx_device::value::cast(self.#name))
        } else {
            quote_spanned!(mixed=> ::core::option::Option::Some(::onyx_device::stored::same(self.#name)))
        };
        quote_spanned! {mixed=>
            if __property == #index {
                return #value;
            }
        }
    });
    quote_spanned! {mixed=>
        #(#arms)*
        ::core::option::Option::None
    }
}

/// The type of what the lane has of an access.
pub fn type_of(lowered: &Lowered, access: &Access) -> TokenStream {
    let mixed = Span::mixed_site();
    if !access.is_row {
        return register(&lowered.function.data, &access.property);
    }
    let feature = feature(&lowered.function.data, &access.property);
    quote_spanned!(mixed=> [#feature; __V])
}

/// What is in registers of the property of an access.
pub fn in_registers(lowered: &Lowered, access: &Access) -> TokenStream {
    let (mixed, data, index) = (Span::mixed_site(), &lowered.function.data, index(&access.property));
    let method = if access.is_row {
        let feature = feature(data, &access.property);
        quote_spanned!(mixed=> row::<#feature>)
    } else {
        let register = register(data, &access.property);
        quote_spanned!(mixed=> scalar::<#register>)
    };
    quote_spanned! {mixed=>
        ::onyx_device::registers::Registers::<#data, __V>::#method(&__registers, #index)
    }
}

/// The code `memory`, unless an earlier function will have written the edge's or vertex's property by the time that this one runs.
pub fn unless_written(access: &Access, memory: &TokenStream) -> TokenStream {
    let index = index(&access.property);
    let mixed = Span::mixed_site();
    let nothing = if access.is_row {
        quote_spanned!(mixed=> [::onyx_device::value::Value::ZERO; __V])
    } else {
        quote_spanned!(mixed=> ::core::default::Default::default())
    };
    quote_spanned! {mixed=>
        if const { <__T as ::onyx_device::access::Version>::WRITTEN >> #index & 1 == 1 } { #nothing } else { #memory }
    }
}

/// Puts what earlier functions have written of the edge or vertex in place of what was not loaded.
pub fn take_written(lowered: &Lowered, own: Place) -> TokenStream {
    let mixed = Span::mixed_site();
    let loads = lowered.plan.loads.iter().enumerate().filter(|(_, load)| load.access.place == own);
    let taken: Vec<TokenStream> = loads
        .map(|(number, load)| {
            let (slot, registers) = (numbered("slot", number), in_registers(lowered, &load.access));
            quote_spanned! {mixed=>
                if let ::core::option::Option::Some(__known) = #registers {
                    __loads.#slot = __known;
                }
            }
        })
        .collect();
    let start = (!taken.is_empty()).then(|| quote_spanned!(mixed=> let mut __loads = __loads;));
    quote_spanned!(mixed=> #start #(#taken)*)
}

/// The value of the structure of what is loaded, given the code that loads one access.
pub fn load(lowered: &Lowered, code: impl Fn(&Access) -> TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let fields = lowered.plan.loads.iter().enumerate().map(|(number, load)| {
        let (slot, code) = (numbered("slot", number), code(&load.access));
        quote_spanned!(mixed=> #slot: #code)
    });
    let gathered = gathered(lowered).into_iter();
    quote_spanned! {mixed=>
        __Loads { #(#fields,)* #(#gathered: const { <__T as ::onyx_device::access::Version>::GATHERED },)* }
    }
}

/// Loads from a place.
pub fn load_from(lowered: &Lowered, access: &Access, place: &TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    if access.matrix.is_some() {
        quote_spanned!(mixed=> unsafe { __group.project(#place) })
    } else if access.is_row {
        let feature = feature(&lowered.function.data, &access.property);
        quote_spanned!(mixed=> unsafe { <#feature as ::onyx_device::value::Value>::load(__group, #place) })
    } else {
        quote_spanned!(mixed=> unsafe { __group.load_scalar(#place) })
    }
}

/// Whether a property is read at its previous value.
pub fn is_previous(property: &Ident) -> TokenStream {
    let (mixed, index) = (Span::mixed_site(), index(property));
    quote_spanned!(mixed=> const { <__T as ::onyx_device::access::Version>::PREVIOUS >> #index & 1 == 1 })
}

/// Reads at an index that the function computes, in the loop over its features.
pub fn gathered_from(plan: &Plan, data: &Type, access: &Access, number: &Expr) -> ExprBlock {
    let at = Span::mixed_site().located_at(access.property.span());
    let [group, index_of_feature, found] = ["group", "index", "found"].map(|name| name_at(name, at));
    let (bounded, place) = bounded(plan, data, access, number);
    let value = if access.is_row {
        let feature = feature(data, &access.property);
        quote_spanned!(at=> #found.feature::<#feature, _, _, _, _>(#group, #place, #index_of_feature))
    } else {
        quote_spanned!(at=> #found.scalar(#group, #place))
    };
    let code = quote_spanned! {at=>
        #bounded
        #[allow(unused_unsafe)]
        unsafe { #value }
    };
    let block = Block { brace_token: Brace(at), stmts: vec![Stmt::Expr(Expr::Verbatim(code), None)] };
    ExprBlock { attrs: Vec::new(), label: None, block }
}

/// Adds to a row that the function computes, by an operator, in the loop over its features.
pub fn added_to(
    plan: &Plan,
    data: &Type,
    access: &Access,
    (number, operator, value): (&Expr, &str, &Expr),
) -> TokenStream {
    let at = Span::mixed_site().located_at(access.property.span());
    let [group, index_of_feature, found] = ["group", "index", "found"].map(|name| name_at(name, at));
    let (bounded, place) = bounded(plan, data, access, number);
    let operator = known_at(operator, at);
    quote_spanned! {at=>
        {
            let __value: ::core::primitive::f32 = #value;
            #bounded
            #[allow(unused_unsafe)]
            unsafe {
                ::onyx_device::table::Adding::<::onyx_device::operator::#operator>::apply(
                    #group, #found, #place, #index_of_feature, __value,
                )
            }
        }
    }
}

/// Code that finds whether an index is in range, and the place of what it names.
fn bounded(plan: &Plan, data: &Type, access: &Access, number: &Expr) -> (TokenStream, TokenStream) {
    let at = Span::mixed_site().located_at(access.property.span());
    let [data_name, misses, loads, found] = ["data", "misses", "loads", "found"].map(|name| name_at(name, at));
    let (place_of, property) = (numbered("place", plan.place_of(access)), index(&access.property));
    if access.place == Place::Row {
        let rows = name_at("rows", at);
        let find = quote_spanned! {at=>
            let #rows = #place_of(#data_name);
            let #found = #misses.bounded(#property, #number, #rows.count);
        };
        return (find, quote_spanned!(at=> #rows.row(#found.number)));
    }
    let rows = quote_spanned!(at=> <#data as ::onyx_device::property::GraphData>::reach(#data_name).vertices);
    let gathered = name_at("gathered", Span::mixed_site());
    let previous = quote_spanned!(at=> #loads.#gathered >> #property & 1 == 1);
    (
        quote_spanned!(at=> let #found = #misses.bounded(#property, #number, #rows);),
        quote_spanned!(at=> #place_of(#data_name, ::onyx_device::Vertex(#found.number), #previous)),
    )
}
