//! Which collections belong together.
//!
//! A *set* has collections of one sort, such as the chats of one data set. Sets count equally in
//! training, however many questions they have, and each has its row in the report. The *group* of a
//! collection is what cross-validation leaves out: its set with those of the same family, or the
//! collection alone if there is only one family. Sets are of a family if their names are the same
//! up to the first dot: `chats` and `chats.long` have the same chats in two forms.

use std::path::Path;

/// The sets of some collections, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    /// The sets' names.
    names: Vec<String>,
    /// The set of each collection.
    of: Vec<usize>,
    /// The group of each collection.
    groups: Vec<usize>,
}

impl Sets {
    /// Files in one folder are a set with the folder's name.
    pub fn of_files<'a>(files: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut folders: Vec<&Path> = Vec::new();
        let of: Vec<usize> = files
            .into_iter()
            .map(|file| {
                let folder = file.parent().unwrap_or(Path::new(""));
                folders.iter().position(|known| *known == folder).unwrap_or_else(|| {
                    folders.push(folder);
                    folders.len() - 1
                })
            })
            .collect();
        let name = |folder: &&Path| {
            folder.file_name().map_or("all".to_owned(), |name| name.to_string_lossy().into_owned())
        };
        let names: Vec<String> = folders.iter().map(name).collect();
        let family = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        let families: Vec<String> = names.iter().map(family).collect();
        let family_of = |set: &usize| {
            let own = families.get(*set);
            families.iter().position(|family| Some(family) == own).unwrap_or(*set)
        };
        let groups = match families.iter().all(|family| Some(family) == families.first()) {
            true => (0..of.len()).collect(),
            false => of.iter().map(family_of).collect(),
        };
        Self { names, of, groups }
    }

    /// `count` collections for each name, which are the same ones in another form.
    pub fn copies(names: &[&str], count: usize) -> Self {
        Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            of: (0..names.len()).flat_map(|set| vec![set; count]).collect(),
            groups: (0..names.len()).flat_map(|_| 0..count).collect(),
        }
    }

    /// The sets' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The set of a collection.
    pub fn set(&self, place: usize) -> usize {
        self.of.get(place).copied().unwrap_or_default()
    }

    /// The group of a collection.
    pub fn group(&self, place: usize) -> usize {
        self.groups.get(place).copied().unwrap_or_default()
    }

    /// The number of groups.
    pub fn group_count(&self) -> usize {
        self.groups.iter().max().map_or(0, |last| last + 1)
    }

    /// The collection whose questions are foreign to this one: the next of its set, or the first of
    /// the next set if it is alone in its own. None if it is the only collection.
    pub fn foreign(&self, place: usize) -> Option<usize> {
        let set = self.set(place);
        let after = (place + 1..self.of.len()).chain(0..place);
        let next = after.clone().find(|other| self.set(*other) == set);
        next.or_else(|| after.into_iter().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_folder_are_foreign_to_one_another() {
        let sets = Sets::of_files(["a/1", "a/2", "b/1", "a/3"].map(Path::new));
        assert_eq!(sets.names(), ["a", "b"]);
        let foreign: Vec<_> = (0..4).map(|place| sets.foreign(place)).collect();
        assert_eq!(foreign, [Some(1), Some(3), Some(3), Some(0)]);
        assert_eq!((sets.group(0), sets.group(2), sets.group_count()), (0, 1, 2));
    }

    #[test]
    fn sets_of_a_family_are_left_out_together() {
        let files = ["chats/1", "chats/2", "chats.long/1", "notes/1"];
        let sets = Sets::of_files(files.map(Path::new));
        assert_eq!(sets.names(), ["chats", "chats.long", "notes"]);
        let groups: Vec<_> = (0..4).map(|place| sets.group(place)).collect();
        assert_eq!((groups, sets.group_count()), (vec![0, 0, 0, 2], 3));
        let alone = Sets::of_files(["chats/1", "chats.long/1"].map(Path::new));
        assert_eq!(alone.group_count(), 2);
    }

    #[test]
    fn the_collections_of_a_single_set_are_left_out_one_by_one() {
        let sets = Sets::of_files(["1", "2", "3"].map(Path::new));
        assert_eq!((sets.names(), sets.group_count()), (&["all".to_owned()][..], 3));
        assert_eq!(Sets::of_files([Path::new("1")]).foreign(0), None);
    }

    #[test]
    fn the_copies_of_a_collection_are_left_out_together() {
        let sets = Sets::copies(&["with names", "without"], 2);
        assert_eq!((sets.set(1), sets.set(2)), (0, 1));
        assert_eq!((sets.group(1), sets.group(3), sets.group_count()), (1, 1, 2));
        assert_eq!((sets.foreign(0), sets.foreign(3)), (Some(1), Some(2)));
    }
}
