//! Fields, forms and limits.
