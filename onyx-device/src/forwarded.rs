//! What a machine around another one leaves to it.

/// Methods of the machine in a field, by their signatures; those that reach memory are unsafe.
macro_rules! forwarded {
    ($inner:tt: $($(#[$kind:ident])? fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => {
        $($crate::forwarded::forwarded! {
            @one $inner $($kind)? fn $name$(<const $n: usize>)?($($argument: $type),*) $(-> $result)?;
        })+
    };
    (@one $inner:tt fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $name$(<const $n: usize>)?(self $(, $argument: $type)*) $(-> $result)? {
            self.$inner.$name($($argument),*)
        }
    };
    (@one $inner:tt reaches fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn $name$(<const $n: usize>)?(self $(, $argument: $type)*) $(-> $result)? {
            // SAFETY: the caller's.
            unsafe { self.$inner.$name($($argument),*) }
        }
    };
}

/// What every machine around another one leaves to it: whose thread and tile it is, and all that has no row of features.
macro_rules! forwarded_words {
    ($inner:tt) => {
        $crate::forwarded::forwarded! {
            $inner:
            fn thread() -> u64;
            fn tile() -> u32;
            #[reaches] fn load_u32(from: *const u32) -> u32;
            #[reaches] fn load_u64(from: *const u64) -> u64;
            #[reaches] fn load_word(from: *const u32) -> u32;
            #[reaches] fn store_u32(to: *mut u32, value: u32);
            #[reaches] fn load_mark(from: *const u8) -> u8;
            #[reaches] fn store_mark(to: *mut u8, value: u8);
            #[reaches] fn load_byte(from: *const u8) -> u8;
            #[reaches] fn store_byte(to: *mut u8, value: u8);
            fn widen_halves<const V: usize>(halves: [u16; V]) -> [f32; V];
            fn narrow_halves<const V: usize>(values: [f32; V]) -> [u16; V];
            #[reaches] fn add_u32(to: *mut u32, value: u32);
            #[reaches] fn min_u32(to: *mut u32, value: u32);
            #[reaches] fn max_u32(to: *mut u32, value: u32);
            #[reaches] fn or_u32(to: *mut u32, value: u32);
            #[reaches] fn and_u32(to: *mut u32, value: u32);
            #[reaches] fn compare_and_swap(to: *mut u32, old: u32, new: u32) -> u32;
            #[reaches] fn add_u64(to: *mut u64, value: u64) -> u64;
        }
    };
}

/// Rows of features in memory.
macro_rules! forwarded_rows {
    ($inner:tt) => {
        $crate::forwarded::forwarded! {
            $inner:
            #[reaches] fn load<const V: usize>(from: *const f32) -> [f32; V];
            #[reaches] fn store<const V: usize>(to: *mut f32, values: [f32; V]);
            #[reaches] fn load_anywhere<const V: usize>(from: *const f32) -> [f32; V];
            #[reaches] fn store_anywhere<const V: usize>(to: *mut f32, values: [f32; V]);
            #[reaches] fn add<const V: usize>(to: *mut f32, values: [f32; V]);
            #[reaches] fn load_halves<const V: usize>(from: *const u16) -> [u16; V];
            #[reaches] fn store_halves<const V: usize>(to: *mut u16, values: [u16; V]);
        }
    };
}

/// How a warp's lanes meet, and which of them one is, and how launches do.
macro_rules! forwarded_warp {
    ($inner:tt) => {
        $crate::forwarded::forwarded! {
            $inner:
            fn lane() -> u32;
            fn shuffle_xor(members: u32, value: f32, lane_mask: u32) -> f32;
            fn shuffle_xor_u32(members: u32, value: u32, lane_mask: u32) -> u32;
            fn shuffle_from(members: u32, value: u32, lane: u32) -> u32;
            fn ballot(members: u32, vote: bool) -> u32;
            fn let_next_begin();
            fn wait_for_launch_before();
            fn synchronize(members: u32);
        }
    };
}

pub(crate) use {forwarded, forwarded_rows, forwarded_warp, forwarded_words};
