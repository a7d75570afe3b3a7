//! One value a document, in memory, in blocks like the postings'.
//!
//! A block never moves, so a column that grows by a document copies nothing and takes no more
//! memory than its values.
//!
//! A clone shares its full blocks with the original. Writing to one of them copies it, as long as
//! both are there. The last block is each column's own, so that adding a value asks nobody whether
//! the block is shared.

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

    /// The values of the documents of a block, as far as there are any.
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

    /// Sets the value of a document, or adds it if it is the next one. Whether it was either.
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

    /// The values from a document on.
    pub(super) fn iter_from(&self, document: u32) -> impl Iterator<Item = &T> {
        let blocks = (document / BLOCK..).map_while(|number| {
            let block = self.block(number);
            (!block.is_empty()).then_some(block)
        });
        blocks.flatten().skip((document % BLOCK) as usize)
    }

    /// The first document of which `is_before` no longer holds; it holds of none behind it.
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
    fn a_column_holds_what_a_vector_holds() {
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
    fn a_value_is_set_or_added_behind_the_last_and_nowhere_else() {
        let mut column = Column::default();
        assert!(
            !column.put(1, 'b') && column.put(0, 'a') && column.put(1, 'b') && column.put(0, 'c')
        );
        assert!(!column.put(3, 'd') && !column.put(u32::MAX, 'd'));
        assert!(column.iter().eq(&['c', 'b']));
    }

    #[test]
    fn a_clone_keeps_its_values_and_shares_what_is_not_written_to() {
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
        assert_eq!(column.block(1).as_ptr(), place, "what nobody shares is written in place");
    }

    #[test]
    fn a_full_block_stays_where_it_is_when_more_is_added() {
        let mut column = Column::default();
        (0..BLOCK).for_each(|number| column.push(number));
        let place = column.block(0).as_ptr();
        (0..2 * BLOCK).for_each(|number| column.push(number));
        assert_eq!(column.block(0).as_ptr(), place);
    }
}
