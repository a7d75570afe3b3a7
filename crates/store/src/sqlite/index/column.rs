//! A column in memory with one value per document, in blocks like those of the postings.
//!
//! A block never moves, so appending a value copies nothing and takes no memory beyond the values.
//!
//! A clone shares its blocks with the original. Writing to a shared block copies it first.

use std::sync::Arc;

use super::postings::BLOCK;

/// The values of documents 0, 1, 2 …
#[derive(Clone, Debug)]
pub(in super::super) struct Column<T> {
    /// All but the last are full.
    blocks: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    pub(super) fn len(&self) -> u32 {
        let last = self.blocks.last().map_or(0, |block| block.len());
        self.blocks.len().saturating_sub(1) as u32 * BLOCK + last as u32
    }

    /// The values of a block's documents, up to the end of the column.
    pub(super) fn block(&self, number: u32) -> &[T] {
        self.blocks.get(number as usize).map_or(&[], |block| block.as_slice())
    }

    pub(super) fn get(&self, document: u32) -> Option<&T> {
        self.block(document / BLOCK).get((document % BLOCK) as usize)
    }

    pub(super) fn push(&mut self, value: T) {
        match self.blocks.last_mut().filter(|block| block.len() < BLOCK as usize) {
            Some(block) => writable(block).push(value),
            None => {
                let mut block = Vec::with_capacity(BLOCK as usize);
                block.push(value);
                self.blocks.push(Arc::new(block));
            }
        }
    }

    /// Sets the value of a document, or appends it if the document is the next one. Returns false
    /// otherwise.
    pub(super) fn put(&mut self, document: u32, value: T) -> bool {
        if document == self.len() {
            self.push(value);
            return true;
        }
        let block = self.blocks.get_mut((document / BLOCK) as usize);
        let place = (document % BLOCK) as usize;
        let Some(block) = block.filter(|block| place < block.len()) else { return false };
        writable(block)[place] = value;
        true
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// The values of a block from a document on.
    pub(super) fn iter_from(&self, document: u32) -> impl Iterator<Item = &T> {
        let blocks = self.blocks.iter().skip((document / BLOCK) as usize);
        blocks.flat_map(|block| block.iter()).skip((document % BLOCK) as usize)
    }

    /// The first document for which `is_before` is false; it must be false for all later ones.
    pub(super) fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> u32 {
        let after = self.blocks.partition_point(|block| block.first().is_some_and(&mut is_before));
        let Some(block) = after.checked_sub(1) else { return 0 };
        block as u32 * BLOCK + self.block(block as u32).partition_point(is_before) as u32
    }
}

/// The values of a block, for writing: the block itself if no other column shares it, else a copy.
fn writable<T: Copy>(block: &mut Arc<Vec<T>>) -> &mut Vec<T> {
    if Arc::get_mut(block).is_none() {
        // A clone would have no spare capacity.
        let mut copy = Vec::with_capacity(BLOCK as usize);
        copy.extend_from_slice(block);
        *block = Arc::new(copy);
    }
    Arc::make_mut(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_equals_a_vector_with_the_same_values() {
        let count = 2 * BLOCK + 3;
        let mut column = Column::default();
        assert_eq!(
            (column.len(), column.get(0), column.partition_point(|_: &u32| true)),
            (0, None, 0)
        );
        (0..count).for_each(|number| column.push(2 * number));
        assert_eq!(column.len(), count);
        for number in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, count - 1] {
            assert_eq!(column.get(number), Some(&(2 * number)));
            assert_eq!(column.iter_from(number).next(), Some(&(2 * number)));
            assert_eq!(column.partition_point(|value| *value < 2 * number), number);
        }
        assert_eq!(column.partition_point(|_| true), count);
        assert_eq!(column.partition_point(|_| false), 0);
        assert_eq!((column.get(count), column.iter_from(count).count()), (None, 0));
        assert_eq!(
            (column.block(2), column.block(3)),
            (&[4 * BLOCK, 4 * BLOCK + 2, 4 * BLOCK + 4][..], &[][..])
        );
        assert!(column.iter().copied().eq((0..count).map(|number| 2 * number)));
    }

    #[test]
    fn a_value_can_be_set_or_appended_but_not_put_beyond_the_end() {
        let mut column = Column::default();
        assert!(
            !column.put(1, 'b') && column.put(0, 'a') && column.put(1, 'b') && column.put(0, 'c')
        );
        assert!(!column.put(3, 'd') && !column.put(u32::MAX, 'd'));
        assert!(column.iter().eq(&['c', 'b']));
    }

    #[test]
    fn a_clone_keeps_its_values_and_shares_unmodified_blocks() {
        let mut column = Column::default();
        (0..BLOCK + 2).for_each(|number| column.push(number));
        let before = column.clone();
        assert!(column.put(BLOCK, 7) && column.put(BLOCK + 2, 8));
        assert_eq!((before.len(), before.get(BLOCK)), (BLOCK + 2, Some(&BLOCK)));
        assert_eq!((column.len(), column.get(BLOCK)), (BLOCK + 3, Some(&7)));
        assert_eq!(before.block(0).as_ptr(), column.block(0).as_ptr());
        drop(before);
        let place = column.block(1).as_ptr();
        assert!(column.put(BLOCK + 3, 9));
        assert_eq!(column.block(1).as_ptr(), place, "an unshared block is written in place");
    }

    #[test]
    fn a_full_block_does_not_move_when_values_are_appended() {
        let mut column = Column::default();
        (0..BLOCK).for_each(|number| column.push(number));
        let place = column.block(0).as_ptr();
        (0..2 * BLOCK).for_each(|number| column.push(number));
        assert_eq!(column.block(0).as_ptr(), place);
    }
}
