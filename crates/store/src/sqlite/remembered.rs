//! What is remembered of look-ups, within a limit.
//!
//! There are two generations. A value that is read moves to the younger one; when that is full it
//! becomes the older one, and the older one is forgotten. So what an import reads in the order in
//! which it was added is still there, and memory stays bounded.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

type Generation<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Values by key: at least the last `generation_max` that were asked for, at most twice as many.
pub(super) struct Remembered<K, V> {
    generation_max: usize,
    younger: RefCell<Generation<K, V>>,
    older: RefCell<Generation<K, V>>,
}

impl<K: Eq + Hash, V: Clone> Remembered<K, V> {
    pub(super) fn new(generation_max: usize) -> Self {
        Self { generation_max, younger: RefCell::default(), older: RefCell::default() }
    }

    /// The value of a key, if it is remembered.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.younger.borrow().get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.older.borrow_mut().remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    /// What `look` makes of the value of a key, if it is remembered. It counts as not asked for.
    pub(super) fn peek<T>(&self, key: &K, look: impl FnOnce(&V) -> T) -> Option<T> {
        if let Some(value) = self.younger.borrow().get(key) {
            return Some(look(value));
        }
        self.older.borrow().get(key).map(look)
    }

    /// Changes the value of a key, if it is remembered.
    pub(super) fn change<Q: Eq + Hash + ?Sized>(&self, key: &Q, change: impl FnOnce(&mut V))
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.younger.borrow_mut().get_mut(key) {
            change(value);
        } else if let Some(value) = self.older.borrow_mut().get_mut(key) {
            change(value);
        }
    }

    /// Remembers the value of a key.
    pub(super) fn insert(&self, key: K, value: V) {
        let mut younger = self.younger.borrow_mut();
        if younger.len() >= self.generation_max {
            // The forgotten generation's table is used again: a new one would have to grow first.
            let mut older = self.older.borrow_mut();
            std::mem::swap(&mut *younger, &mut *older);
            younger.clear();
        }
        // What the older generation has of the key is never looked at while this one has it, and
        // is gone before this one is.
        younger.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_remembered_and_not_more_than_twice_as_many() {
        let remembered = Remembered::new(4);
        for number in 0..100_i64 {
            remembered.insert(number, number * 10);
            remembered.change(&number, |value| *value += 1);
            for last in (number - 3).max(0)..=number {
                assert_eq!(remembered.get(&last), Some(last * 10 + 1));
            }
            let kept = remembered.younger.borrow().len() + remembered.older.borrow().len();
            assert!(kept <= 8);
        }
        assert_eq!(remembered.get(&0), None);
    }

    #[test]
    fn a_later_value_counts_whichever_generation_has_the_earlier_one() {
        let remembered = Remembered::new(2);
        for key in ["a", "b", "c"] {
            remembered.insert(key, 1);
        }
        remembered.insert("a", 2);
        assert_eq!(remembered.get("a"), Some(2));
        for key in ["d", "e", "a"] {
            remembered.insert(key, 3);
        }
        assert_eq!(remembered.get("a"), Some(3));
    }
}
