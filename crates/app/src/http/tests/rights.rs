//! Who sees and does what.
