//! A column in memory with one value per document, in blocks like those of the postings.
//!
//! A block never moves, so appending a value copies nothing and takes no memory beyond the values.
//!
//! A clone shares its full blocks with the original. Writing to a shared block copies it first. The
//! last block is never shared, so adding a value does not check for sharing.

use std::sync::Arc;

use super::postings::BLOCK;

/// The values of documents 0, 1, 2 …
#[derive(Clone, Debug)]
pub(in super::super) struct Column<T> {
    full: Vec<Arc<Vec<T>>>,
    /// The values after the full blocks, fewer than a block.
    last: Vec<T>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    pub(super) fn len(&self) -> u32 {
        self.full.len() as u32 * BLOCK + self.last.len() as u32
    }

    /// The values of a block's documents, up to the end of the column.
    pub(super) fn block(&self, number: u32) -> &[T] {
        match self.full.get(number as usize) {
            Some(block) => block.as_slice(),
            None if number as usize == self.full.len() => self.last.as_slice(),
            None => &[],
        }
    }

    pub(super) fn get(&self, document: u32) -> Option<&T> {
        self.block(document / BLOCK).get((document % BLOCK) as usize)
    }

    pub(super) fn push(&mut self, value: T) {
        if self.last.len() == self.last.capacity() {
            self.last.reserve_exact(BLOCK as usize - self.last.len());
        }
        self.last.push(value);
        if self.last.len() == BLOCK as usize {
            self.full.push(Arc::new(std::mem::take(&mut self.last)));
        }
    }

    /// Sets the value of a document, or appends it if the document is the next one. Returns false
    /// otherwise.
    pub(super) fn put(&mut self, document: u32, value: T) -> bool {
        if document == self.len() {
            self.push(value);
            return true;
        }
        let full = self.full.len();
        let block = match self.full.get_mut((document / BLOCK) as usize) {
            Some(block) => Arc::make_mut(block),
            None if (document / BLOCK) as usize == full => &mut self.last,
            None => return false,
        };
        let Some(place) = block.get_mut((document % BLOCK) as usize) else { return false };
        *place = value;
        true
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|block| block.iter()).chain(&self.last)
    }

    /// The values of a block from a document on.
    pub(super) fn iter_from(&self, document: u32) -> impl Iterator<Item = &T> {
        let blocks = (document / BLOCK..).map_while(|number| {
            let block = self.block(number);
            (!block.is_empty()).then_some(block)
        });
        blocks.flatten().skip((document % BLOCK) as usize)
    }

    /// The first document for which `is_before` is false; it must be false for all later ones.
    pub(super) fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> u32 {
        let mut after =
            self.full.partition_point(|block| block.first().is_some_and(&mut is_before));
        if after == self.full.len() && self.last.first().is_some_and(&mut is_before) {
            after += 1;
        }
        let Some(block) = after.checked_sub(1) else { return 0 };
        block as u32 * BLOCK + self.block(block as u32).partition_point(is_before) as u32
    }
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
