//! `cargo xtask samples DIR`: generates fictional people with labels.
//!
//! Confidence is calibrated if about eight in ten of the claims made with 0.8 are true; measuring
//! that requires people about whom everything is known. Each person is a folder: `calendar.ics`
//! (and `shared.ics`), `photos/`, `notes/`, `chat.jsonl`, `assistant.jsonl`, as programs export
//! them, and `labels.json` with the truth. First a life is generated, then its traces; the labels
//! depend on the life alone. Everything is determined by the seed and the person's number.
//!
//! | module | answers |
//! |---|---|
//! | `life`, `recording_style` | what is true, and how does the person record it? |
//! | `traces`, `accidents`, `writing` | what is visible of it, and what else? |
//! | `calendar`, `photo` | what do the files look like? |
//! | `labels` | what should be found? |

mod accidents;
mod calendar;
mod labels;
mod life;
mod photo;
pub(crate) mod random;
mod recording_style;
mod traces;
mod words;
mod writing;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use life::Life;
use random::Random;
use recording_style::Mix;
use traces::Traces;
use writing::Writing;

/// Default number of people.
const PEOPLE: u64 = 20;
/// Most people in one run.
const PEOPLE_MAX: u64 = 9_999;

/// The options of a run.
#[derive(Debug, PartialEq)]
struct RunOptions {
    people: u64,
    seed: u64,
    mix: Mix,
}

/// Generates people in a folder.
pub(crate) fn run(folder: &Path, options: &[&str]) -> Result<ExitCode> {
    let order = order(options)?;
    for number in 1..=order.people {
        let folder = folder.join(format!("person-{number:04}"));
        if folder.exists() {
            bail!("{} is already there; name a new folder", folder.display());
        }
        write(&folder, &mut Random::new(order.seed, number), order.mix)?;
    }
    println!("samples: {} people of seed {} in {}", order.people, order.seed, folder.display());
    Ok(ExitCode::SUCCESS)
}

fn order(options: &[&str]) -> Result<RunOptions> {
    let mut order = RunOptions { people: PEOPLE, seed: 1, mix: Mix::Ordinary };
    for pair in options.chunks(2) {
        match pair {
            ["--people", people] => {
                order.people = people.parse().context("--people takes a number")?
            }
            ["--seed", seed] => order.seed = seed.parse().context("--seed takes a number")?,
            ["--mix", mix] => {
                order.mix = Mix::named(mix).context("--mix takes ordinary, sparse or noisy")?
            }
            _ => bail!(
                "unknown option {:?}: --people N, --seed N, --mix ordinary|sparse|noisy",
                pair.join(" ")
            ),
        }
    }
    if order.people > PEOPLE_MAX {
        bail!("at most {PEOPLE_MAX} people");
    }
    Ok(order)
}

fn write(folder: &Path, random: &mut Random, mix: Mix) -> Result<()> {
    let life = Life::draw(random, mix);
    let traces = Traces::leave(&life, random);
    let writing = Writing::of(&life, random);
    let put = |name: &str, bytes: &[u8]| -> Result<()> {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    put("calendar.ics", calendar::own(&life, &traces).as_bytes())?;
    if let Some(shared) = calendar::shared(&life, &traces) {
        put("shared.ics", shared.as_bytes())?;
    }
    for (number, photo) in traces.photos.iter().enumerate() {
        put(&format!("photos/{}/IMG_{number:04}.jpg", photo.album), &photo::jpeg(photo))?;
    }
    for (name, text) in &writing.notes {
        put(&format!("notes/{name}"), text.as_bytes())?;
    }
    for (name, lines) in [("chat.jsonl", &writing.chat), ("assistant.jsonl", &writing.assistant)] {
        if !lines.is_empty() {
            put(name, lines.as_bytes())?;
        }
    }
    let labels = serde_json::to_string_pretty(&labels::labels(&life, &traces, &writing))?;
    put("labels.json", format!("{labels}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.extend(
                    self::files(&path).into_iter().map(|(name, bytes)| {
                        (Path::new(path.file_name().unwrap()).join(name), bytes)
                    }),
                );
            } else {
                files.insert(PathBuf::from(path.file_name().unwrap()), fs::read(&path).unwrap());
            }
        }
        files
    }

    #[test]
    fn equal_seeds_give_equal_people_and_other_seeds_others() {
        let made = |seed| {
            let folder = tempfile::tempdir().unwrap();
            for number in 1..4 {
                write(
                    &folder.path().join(number.to_string()),
                    &mut Random::new(seed, number),
                    Mix::Ordinary,
                )
                .unwrap();
            }
            files(folder.path())
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }

    #[test]
    fn a_person_of_every_mix_has_a_calendar_and_labels() {
        for mix in [Mix::Ordinary, Mix::Sparse, Mix::Noisy] {
            for number in 1..40 {
                let random = &mut Random::new(7, number);
                let life = Life::draw(random, mix);
                let traces = Traces::leave(&life, random);
                let labels = labels::labels(&life, &traces, &Writing::of(&life, random));
                assert_eq!(
                    labels["routines"].as_array().map(Vec::is_empty),
                    Some(life.habits.is_empty())
                );
                assert!(
                    calendar::own(&life, &traces).lines().all(|line| line.len() <= 75),
                    "lines are folded"
                );
            }
        }
    }

    #[test]
    fn unknown_options_are_refused() {
        assert_eq!(
            order(&["--people", "3", "--mix", "noisy"]).unwrap(),
            RunOptions { people: 3, seed: 1, mix: Mix::Noisy }
        );
        for wrong in [
            &["--people"][..],
            &["--mix", "odd"],
            &["--seed", "x"],
            &["--folk", "3"],
            &["--people", "10000"],
        ] {
            assert!(order(wrong).is_err(), "{wrong:?}");
        }
    }
}
