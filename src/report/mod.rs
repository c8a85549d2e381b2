//! A run as one page to hand in.
//!
//! An empty room: a run leaves its charts, rows and description as separate files so far.
