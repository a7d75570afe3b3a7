//! Questions for what is still to be done: "What do I still have to do?", "my open tasks".
//!
//! A task hardly says that it is one, so the words of such a question are in other records. Where a
//! memory has open tasks, these are a class that the question looks for, and the words that ask
//! carry no weight. English only.

use crate::text::words::cut_at_apostrophe;

/// How the line of a task begins that is not done, after the mark of a list.
pub const OPEN_BOX: &str = "[ ] ";

/// Most words of such a question.
const WORDS_MAX: usize = 16;
/// Most words between "my" and the tasks.
const BETWEEN_MAX: usize = 2;
const TASKS: [&str; 4] = ["task", "tasks", "todo", "todos"];
/// What is not done is this.
#[rustfmt::skip]
const OPEN: [&str; 9] = [
    "due", "incomplete", "left", "open", "outstanding", "pending", "remaining", "undone", "unfinished",
];
/// Words that begin a question for tasks.
#[rustfmt::skip]
const BEGINNINGS: [&str; 18] = [
    "all", "any", "are", "can", "could", "do", "give", "have", "how", "is", "list", "my", "open", "please", "show",
    "tell", "what", "which",
];
/// Words by which a question is about the past, about advice, or about how something is done.
#[rustfmt::skip]
const OTHERWISE: [&str; 12] = [
    "could've", "did", "had", "should", "supposed", "was", "were", "when", "where", "who", "why", "would",
];
/// Words before "to do" for what somebody has to do.
const DUTIES: [&str; 5] = ["got", "have", "left", "need", "remains"];
/// Words after "to": what is done with a task.
const DONE: [&str; 4] = ["complete", "do", "finish", "tackle"];
/// Words after "to do" that say for what; "to do to renew it" asks how.
#[rustfmt::skip]
const FOR: [&str; 15] = [
    "about", "at", "before", "for", "in", "next", "now", "on", "regarding", "soon", "still", "today", "tomorrow",
    "until", "yet",
];
/// Words after tasks that are not part of another name, as in "task manager".
const FOLLOWING: [&str; 9] = ["are", "do", "dos", "have", "is", "item", "items", "list", "lists"];
/// Words that ask for tasks, in lower case, beside those above.
#[rustfmt::skip]
const ASKING: [&str; 30] = [
    "all", "also", "be", "currently", "dos", "else", "get", "give", "has", "have", "is", "item", "items", "list",
    "lists", "many", "me", "must", "need", "now", "please", "show", "still", "tell", "there", "thing", "things", "to",
    "todo", "yet",
];

/// Whether a question, in words of lower case, asks for tasks that are not done.
pub(super) fn asks_for_open(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(|word| cut_at_apostrophe(word)).collect();
    let is_otherwise = words.iter().any(|word| OTHERWISE.contains(word));
    words.len() <= WORDS_MAX && !is_otherwise && (names_tasks(&words) || asks_what_to_do(&words))
}

/// Whether a word (lower case) of such a question says nothing but that it asks for tasks.
pub(super) fn is_asking(word: &str) -> bool {
    let word = cut_at_apostrophe(word);
    [&ASKING[..], &TASKS, &OPEN, &DUTIES, &DONE].iter().any(|list| list.contains(&word))
}

/// "Which tasks are open?", "my to-do list", "What tasks do I have?"
fn names_tasks(words: &[&str]) -> bool {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_tasks = |at: usize| {
        let is_to_do = word(at) == "to"
            && (word(at + 1) == "dos" || (word(at + 1), word(at + 2)) == ("do", "list"));
        is_to_do || TASKS.contains(&word(at))
    };
    let Some(tasks) = (0..words.len()).find(|at| is_tasks(*at)) else { return false };
    let after = word(tasks + 1);
    let is_part_of_name = !after.is_empty()
        && ![&FOLLOWING[..], &FOR, &OPEN].iter().any(|list| list.contains(&after));
    let is_how = word(0) == "how" && word(1) != "many";
    let is_open = words.iter().any(|word| OPEN.contains(word));
    let own = words.get(tasks.saturating_sub(BETWEEN_MAX)..tasks).unwrap_or_default();
    let is_own = own.iter().any(|word| matches!(*word, "my" | "our"));
    let are_had = matches!(
        (word(tasks + 1), word(tasks + 2), word(tasks + 3)),
        ("do", "i" | "we", "have") | ("have", "i" | "we", _)
    );
    BEGINNINGS.contains(&word(0)) && !is_how && !is_part_of_name && (is_open || is_own || are_had)
}

/// "What do I have to do?", "What is left to do?", "What must I still do?"
fn asks_what_to_do(words: &[&str]) -> bool {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    if word(0) != "what" {
        return false;
    }
    let is_still = words.iter().any(|word| matches!(*word, "still" | "yet"));
    let is_of_asker = words.iter().any(|word| matches!(*word, "i" | "we"));
    let is_end = |at: usize| at >= words.len() || FOR.contains(&word(at));
    let is_done = |at: usize| match word(at) {
        "get" | "be" => word(at + 1) == "done" && is_end(at + 2),
        verb => DONE.contains(&verb) && is_end(at + 1),
    };
    let is_duty = |at: usize| {
        let before = at.checked_sub(1).map_or("", word);
        let is_due = match before {
            "left" | "remains" => true,
            _ if is_of_asker => DUTIES.contains(&before) || before == "still",
            _ => is_still,
        };
        word(at) == "to" && is_due && is_done(at + 1)
    };
    let must = words.iter().position(|word| *word == "must").filter(|_| is_still && is_of_asker);
    (1..words.len()).any(is_duty) || must.is_some_and(|must| (must..words.len()).any(is_done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::visit_words;

    fn asks(text: &str) -> bool {
        let mut words = Vec::new();
        visit_words(text, |word| {
            words.push(word.text.to_lowercase());
            true
        });
        asks_for_open(&words)
    }

    #[test]
    fn questions_for_what_is_not_done_are_recognised() {
        for question in [
            "What do I still have to do?",
            "What do we need to do for the wedding?",
            "What do I have to get done?",
            "What else do I have to do before Christmas?",
            "What's left to do?",
            "What is still to be done?",
            "What must I still do?",
            "What is on my to-do list?",
            "what's on my todo list",
            "Which tasks are open?",
            "Are there any open tasks?",
            "What tasks do I have?",
            "How many tasks are left?",
            "Show me my open tasks.",
            "my to-dos",
        ] {
            assert!(asks(question), "{question}");
        }
    }

    #[test]
    fn other_questions_are_not() {
        for question in [
            "",
            "What did I have to do?",
            "What do I have to do to renew my passport?",
            "What do I have to do with it?",
            "What should I do?",
            "What is there to do in Porto?",
            "What is my task manager called?",
            "What is the task about?",
            "Which tasks were done in May?",
            "Which tasks should we automate?",
            "How do I list the open tasks?",
            "What shops are open?",
            "I have a lot to do",
            "Who has open tasks?",
        ] {
            assert!(!asks(question), "{question}");
        }
    }

    #[test]
    fn words_that_ask_for_tasks_say_nothing_else() {
        let beside = |text: &'static str| {
            let words = text.split(' ').filter(|word| !is_asking(word));
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(beside("what do i still have to do for the wedding"), "what i for the wedding");
        assert_eq!(beside("which tasks are open"), "which are");
    }
}
