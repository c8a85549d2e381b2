//! From lanes to memory transactions, exactly: what one subgroup costs, and a whole dispatch.

mod window;

pub use window::Window;
