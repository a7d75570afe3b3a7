//! Development only: the naive models that the real parts are compared with.

pub mod locomo;
pub mod naive_recall;
