//! Words of a text, as recall compares them.
