//! Long texts cut into passages of a size that recall can rank and a reader can read.
//!
//! Cuts fall between blocks (paragraphs, list items), and within a block that alone is too long at a line, a sentence
//! or a word, whichever comes first. No character is lost but the white space at a cut.

/// Groups blocks into passages of at most `chars_max` characters, joined by a blank line.
pub(crate) fn group(blocks: impl IntoIterator<Item = String>, chars_max: usize) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut chars = 0;
    for block in blocks {
        for piece in split(&block, chars_max) {
            let piece_chars = piece.chars().count();
            match passages.last_mut() {
                Some(last) if chars + 2 + piece_chars <= chars_max => {
                    last.push_str("\n\n");
                    last.push_str(piece);
                    chars += 2 + piece_chars;
                }
                _ => {
                    passages.push(piece.to_owned());
                    chars = piece_chars;
                }
            }
        }
    }
    passages
}

/// Cuts one block into pieces of at most `chars_max` characters, each without white space around it.
pub(crate) fn split(block: &str, chars_max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = block.trim();
    while !rest.is_empty() {
        let limit =
            rest.char_indices().nth(chars_max.max(1)).map_or(rest.len(), |(index, _)| index);
        let Some((head, _)) = rest.split_at_checked(limit) else { break };
        let cut = if limit == rest.len() { limit } else { best_cut(head) };
        let (piece, after) = rest.split_at_checked(cut).unwrap_or((rest, ""));
        let piece = piece.trim();
        if !piece.is_empty() {
            pieces.push(piece);
        }
        rest = after.trim_start();
    }
    pieces
}

/// The end of the last line, sentence or word in the second half of `head`; all of it if there is none.
fn best_cut(head: &str) -> usize {
    let half = head.len() / 2;
    let after =
        |found: Option<usize>, length: usize| found.map(|at| at + length).filter(|at| *at > half);
    after(head.rfind('\n'), 1)
        .or_else(|| {
            after([". ", "! ", "? ", "。"].iter().filter_map(|end| head.rfind(end)).max(), 1)
        })
        .filter(|cut| head.is_char_boundary(*cut))
        .or_else(|| {
            after(head.rfind(char::is_whitespace), 1).filter(|cut| head.is_char_boundary(*cut))
        })
        .unwrap_or(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_at_lines_sentences_and_words() {
        assert_eq!(split("one two\nthree four", 12), ["one two", "three four"]);
        assert_eq!(split("One two. Three four", 12), ["One two.", "Three four"]);
        assert_eq!(split("one two three", 9), ["one two", "three"]);
        assert_eq!(split("漢字漢字漢", 2), ["漢字", "漢字", "漢"]);
        assert!(split(" \n ", 5).is_empty());
    }

    #[test]
    fn small_blocks_share_a_passage() {
        let blocks = ["a", "b", "cccccc"].map(str::to_owned);
        assert_eq!(group(blocks, 6), ["a\n\nb", "cccccc"]);
    }
}
