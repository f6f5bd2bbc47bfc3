//! Names that are written in the code and said to the platform again and again. They are made strings of the platform's once an
//! isolate: to make one for each use takes longer than the use.

use std::cell::RefCell;

use worker::js_sys::JsString;

thread_local! {
    /// Those that were used in this isolate, some dozens.
    static LITERALS: RefCell<Vec<(&'static str, JsString)>> = const { RefCell::new(Vec::new()) };
}

/// Does something with `name` as a string of the platform's.
pub fn with_literal<T>(name: &'static str, use_it: impl FnOnce(&JsString) -> T) -> T {
    LITERALS.with_borrow_mut(|literals| {
        let at = match literals.iter().position(|(known, _)| *known == name) {
            Some(at) => at,
            None => {
                literals.push((name, name.into()));
                literals.len() - 1
            }
        };
        use_it(&literals[at].1)
    })
}
