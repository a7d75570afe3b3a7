//! Importers over whole sources, as the application calls them.

mod calendar;
mod collect;
