//! Lays the built-in vocabularies out so that the program looks pieces up in them where they lie.
//!
//! A process that embeds one text, such as that of a note, would otherwise spend a quarter of its
//! time on filling a hash table of 30 522 pieces. The arrays are those of
//! `src/word_piece/pieces.rs`, which reads them.

use std::borrow::Cow;
use std::path::PathBuf;

#[path = "src/word_piece/pieces.rs"]
#[allow(dead_code, reason = "the program reads the table, this writes it")]
mod pieces;

fn main() {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    for (file, name) in [("data/vocab.txt", "vocabulary"), ("data/words-zh.txt", "words-zh")] {
        let text = std::fs::read_to_string(file).expect("the vocabulary is in the package");
        let laid_out = pieces::Pieces::lay_out(Cow::Owned(text), pieces::BUILT_IN_SEED)
            .expect("the vocabulary has few enough pieces");
        let longest = u32::try_from(laid_out.piece_bytes_max).expect("pieces are short");
        let write = |part: &str, bytes: &[u8]| {
            std::fs::write(folder.join(format!("{name}.{part}")), bytes)
                .expect("cargo's folder can be written")
        };
        write("places", laid_out.places.as_flattened().as_flattened());
        write("slots", laid_out.slots.as_flattened().as_flattened());
        write("lengths", laid_out.lengths.as_flattened());
        write("longest", &longest.to_le_bytes());
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/word_piece/pieces.rs");
}
