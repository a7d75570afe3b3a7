//! The memory as tools, spoken to line by line as a host does, and as no host should.

mod host;
mod meaning;
mod tools;
mod wire;
