//! Names: which person a text like `"Lima, Ana" <ana.lima@example.org>` names, if any.
//!
//! Sources name people in many forms, and name rooms, lists, bots and programs in the same places.
//! A misread name becomes a belief about somebody who does not exist, so doubtful names are
//! rejected. Two spellings are one person when their slugs are equal; "Ana" and "Ana Lima" stay two
//! people, because nothing shows that they are the same.

use crate::slug::slug;

/// Longest name that is read, bytes.
pub const NAME_BYTES_MAX: usize = 256;
/// Most words of a name.
pub const NAME_WORDS_MAX: usize = 5;

/// Names that programs use for the owner of the memory.
const SELF_NAMES: [&str; 8] = ["i", "me", "myself", "self", "you", "user", "human", "owner"];

/// Words before a name that are not part of it.
#[rustfmt::skip]
const TITLES: [&str; 20] = [
    "mr", "mrs", "ms", "mx", "miss", "dr", "doctor", "prof", "professor", "sir", "madam", "madame", "mme", "rev",
    "fr", "sr", "sra", "herr", "frau", "hr",
];

/// Words after a name that are not part of it.
#[rustfmt::skip]
const SUFFIXES: [&str; 12] = [
    "phd", "md", "mba", "msc", "bsc", "jr", "sr", "ii", "iii", "esq", "dds", "rn",
];

/// Words that no person's name contains: machines, rooms, roles, lists, firms.
#[rustfmt::skip]
const IMPERSONAL_WORDS: [&str; 134] = [
    "noreply", "donotreply", "reply", "notification", "notifications", "notify", "alert", "alerts", "newsletter",
    "news", "mailer", "daemon", "postmaster", "webmaster", "info", "support", "service", "services", "sales",
    "billing", "invoice", "invoices", "accounts", "admin", "administrator", "root", "office", "team", "teams",
    "group", "groups", "list", "lists", "announce", "everyone", "everybody", "all", "staff", "help", "helpdesk",
    "hello", "contact", "marketing", "security", "updates", "update", "digest", "jobs", "careers", "hr", "bot",
    "robot", "slackbot", "github", "gitlab", "bitbucket", "jira", "confluence", "slack", "zoom", "meet", "webex",
    "google", "microsoft", "linkedin", "facebook", "amazon", "paypal", "calendar", "calendars", "room",
    "conference", "boardroom", "resource", "projector", "meeting", "system", "assistant", "agent", "ai", "tool",
    "chatgpt", "gpt", "copilot", "gemini", "unknown", "anonymous", "guest", "inc", "llc", "ltd", "gmbh", "corp",
    "company", "university", "department", "mailing", "delivery", "subsystem", "developers", "devel", "maintainer",
    "maintainers", "moderator", "moderators", "committee", "subscribers", "members", "recipients", "undisclosed",
    "buildbot", "tracker", "board", "council", "orders", "customer", "customers", "feedback", "enquiries", "inquiries",
    "reception", "bookings", "reservations", "secretariat", "kontakt", "kundenservice", "vertrieb", "buchhaltung",
    "redaktion", "contacto", "soporte", "equipo", "équipe", "atención",
];

/// Words in the local parts of addresses to which mail for many goes, after the name of a project:
/// `alsa-devel`, `git-commits`.
#[rustfmt::skip]
const LIST_WORDS: [&str; 22] = [
    "devel", "dev", "developers", "users", "user", "discuss", "discussion", "commits", "commit", "bugs", "bug",
    "patches", "patch", "maintainers", "owner", "request", "bounces", "bounce", "subscribe", "unsubscribe", "linux",
    "kernel",
];

/// Hosts, and the domains under them, at which mail for many arrives.
const LIST_HOSTS: [&str; 8] = [
    "vger.kernel.org",
    "lists.linux.dev",
    "freelists.org",
    "googlegroups.com",
    "groups.io",
    "yahoogroups.com",
    "bugs.debian.org",
    "lists.sourceforge.net",
];

/// Whole names that are not people: assistants and anonymous speakers.
#[rustfmt::skip]
const IMPERSONAL_NAMES: [&str; 14] = [
    "claude", "alexa", "siri", "cortana", "model", "bard", "llama", "mistral", "speaker", "sender", "friend", "mom",
    "dad", "n a",
];

/// A person, as far as a name identifies one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person {
    /// As people write it, without titles.
    pub name: String,
    /// Their name in identity keys and groups.
    pub slug: String,
}

/// Whether this is how a program names the owner of the memory: `You`, `Me`, `user`.
pub fn is_self(name: &str) -> bool {
    let name = name.trim();
    SELF_NAMES.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// The person with that name; `None` for the owner, machines, rooms, lists, and text that is not a
/// name.
///
/// ```
/// let ana = derivers::names::person("\"Lima, Ana\" <al@example.org>").unwrap();
/// assert_eq!((ana.name.as_str(), ana.slug.as_str()), ("Ana Lima", "ana-lima"));
/// assert_eq!(derivers::names::person("noreply@example.org"), None);
/// ```
pub fn person(raw: &str) -> Option<Person> {
    let raw = raw.trim();
    if raw.len() > NAME_BYTES_MAX || raw.is_empty() || is_self(raw) {
        return None;
    }
    let raw = raw.strip_prefix("mailto:").unwrap_or(raw);
    if let Some((name, address)) = raw.split_once('<') {
        let address = address.split('>').next().unwrap_or_default().trim();
        let by_address = from_address(address);
        let is_address = address.contains('@');
        let name = name.trim().trim_matches(['"', '\'']).trim();
        return match name.is_empty() || name.contains('@') {
            true => by_address,
            // Mail that a machine sends under a person's name was not sent by that person.
            false if is_address && is_machine(address) => None,
            false => from_words(name),
        };
    }
    let raw = raw.trim_matches(['"', '\'']).trim();
    if raw.contains('@') && !raw.contains(char::is_whitespace) {
        from_address(raw)
    } else {
        from_words(raw)
    }
}

fn is_machine(address: &str) -> bool {
    let (local, domain) = address.split_once('@').unwrap_or((address, ""));
    let local = local.to_ascii_lowercase();
    let domain = domain.to_ascii_lowercase();
    let joined: String = local.chars().filter(|letter| letter.is_alphanumeric()).collect();
    is_list(address)
        || domain.contains("resource.calendar")
        || IMPERSONAL_WORDS.contains(&joined.as_str())
        || local.split(['.', '_', '-', '+']).any(|part| IMPERSONAL_WORDS.contains(&part))
}

/// Whether an address is a mailing list's.
pub(crate) fn is_list(address: &str) -> bool {
    let (local, domain) = address.split_once('@').unwrap_or((address, ""));
    let local = local.to_ascii_lowercase();
    let domain = domain.to_ascii_lowercase();
    let is_at = |host: &&str| {
        domain.strip_suffix(*host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    domain.starts_with("lists.")
        || domain.starts_with("list.")
        || domain.contains(".lists.")
        || domain.starts_with("googlegroups.")
        || LIST_HOSTS.iter().any(is_at)
        || local.split(['-', '_', '+']).any(|part| LIST_WORDS.contains(&part))
}

/// Reads `ana.lima+lists@example.org` as Ana Lima. One word alone names nobody: `alima` may be a
/// person, who has another name elsewhere, or a list, a role or a program.
fn from_address(address: &str) -> Option<Person> {
    if is_machine(address) {
        return None;
    }
    let local = address.split('@').next().unwrap_or_default().split('+').next().unwrap_or_default();
    let spaced: String = local
        .chars()
        .filter(|letter| !letter.is_ascii_digit())
        .map(|letter| if matches!(letter, '.' | '_') { ' ' } else { letter })
        .collect();
    from_words(&spaced).filter(|person| person.name.contains(' '))
}

/// The address in `Name <address>`, `mailto:address` or a bare address.
pub(crate) fn address_of(raw: &str) -> Option<&str> {
    let raw = raw.trim();
    if raw.len() > NAME_BYTES_MAX {
        return None;
    }
    let inner = match raw.rsplit_once('<') {
        Some((_, inner)) => inner.split('>').next().unwrap_or_default(),
        None => raw.strip_prefix("mailto:").unwrap_or(raw),
    };
    let inner = inner.trim();
    (inner.contains('@') && !inner.contains(char::is_whitespace)).then_some(inner)
}

fn from_words(name: &str) -> Option<Person> {
    let name = name.split(['(', '[', '|', '/']).next().unwrap_or_default();
    let ordered = match name.split_once(',') {
        Some((last, first)) if !first.contains(',') => {
            if is_suffix(first) {
                last.to_owned()
            } else {
                format!("{} {}", first.trim(), last.trim())
            }
        }
        Some((whole, suffixes)) if suffixes.split(',').all(is_suffix) => whole.to_owned(),
        Some(_) => return None,
        None => name.to_owned(),
    };
    let mut words: Vec<String> = Vec::new();
    for word in ordered.split_whitespace() {
        if word.chars().any(char::is_numeric) || words.len() > NAME_WORDS_MAX {
            return None;
        }
        let kept: String = word
            .chars()
            .filter(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’' | '.'))
            .collect();
        if kept.chars().any(char::is_alphabetic) {
            words.push(kept);
        }
    }
    while words.len() > 1 && words.first().is_some_and(|word| TITLES.contains(&bare(word).as_str()))
    {
        words.remove(0);
    }
    while words.len() > 1 && words.last().is_some_and(|word| is_suffix(word)) {
        words.pop();
    }
    if words.len() > NAME_WORDS_MAX || words.iter().any(|word| is_impersonal(&bare(word))) {
        return None;
    }
    let name = capitalised(&words.join(" "));
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let slug = slug(&name);
    let is_too_short = letters < 2 && name.is_ascii();
    let is_impersonal =
        IMPERSONAL_NAMES.contains(&slug.as_str()) || is_self(&name) || slug.is_empty();
    (!is_too_short && !is_impersonal).then_some(Person { name, slug })
}

/// Whether a word marks a name as not a person's. The parts of `no-reply` and `Ana-bot` are checked
/// too.
fn is_impersonal(word: &str) -> bool {
    IMPERSONAL_WORDS.contains(&word)
        || word == "via"
        || word.contains('-')
            && (word.split('-').any(|part| IMPERSONAL_WORDS.contains(&part))
                || IMPERSONAL_WORDS.contains(&word.replace('-', "").as_str()))
}

fn is_suffix(word: &str) -> bool {
    let letters: String = word.chars().filter(|letter| letter.is_alphabetic()).collect();
    SUFFIXES.contains(&letters.to_lowercase().as_str())
}

/// Lower case, without the dots of abbreviations.
fn bare(word: &str) -> String {
    word.trim_matches('.').to_lowercase()
}

/// Capitalises a name that is written in one case: `ANA LIMA` and `ana lima` are both Ana Lima.
fn capitalised(name: &str) -> String {
    let has_both = name.chars().any(char::is_lowercase) && name.chars().any(char::is_uppercase);
    if has_both || name.chars().filter(|letter| letter.is_alphabetic()).count() < 2 {
        return name.to_owned();
    }
    let mut cased = String::new();
    let mut is_start = true;
    for letter in name.chars() {
        if is_start {
            cased.extend(letter.to_uppercase());
        } else {
            cased.extend(letter.to_lowercase());
        }
        is_start = matches!(letter, '-' | ' ' | '.');
    }
    cased
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_normalised() {
        for (raw, name, slug) in [
            ("Ana Lima", "Ana Lima", "ana-lima"),
            ("ANA LIMA", "Ana Lima", "ana-lima"),
            ("ana lima", "Ana Lima", "ana-lima"),
            ("Ana Lima <ana@example.org>", "Ana Lima", "ana-lima"),
            ("\"Lima, Ana\" <x9@example.org>", "Ana Lima", "ana-lima"),
            ("Lima, Ana", "Ana Lima", "ana-lima"),
            ("ana.lima88@example.org", "Ana Lima", "ana-lima"),
            ("<ana_lima+work@example.org>", "Ana Lima", "ana-lima"),
            ("Dr. Weber", "Weber", "weber"),
            ("Prof. Dr. Anna Weber, PhD", "Anna Weber", "anna-weber"),
            ("Ana Lima (Acme)", "Ana Lima", "ana-lima"),
            ("'Ana Lima'", "Ana Lima", "ana-lima"),
            ("Ana 🦄 Lima", "Ana Lima", "ana-lima"),
            ("Jean-Luc O'Neil", "Jean-Luc O'Neil", "jean-luc-o-neil"),
            ("McDonald", "McDonald", "mcdonald"),
            ("李", "李", "李"),
            ("\u{202e}דנה לוי", "דנה לוי", "דנה-לוי"),
        ] {
            let person = person(raw).unwrap_or_else(|| panic!("{raw}"));
            assert_eq!((person.name.as_str(), person.slug.as_str()), (name, slug), "{raw}");
        }
    }

    #[test]
    fn machines_rooms_lists_and_the_owner_are_not_people() {
        for raw in [
            "",
            " ",
            "…",
            "🦄",
            "me",
            "You",
            "user",
            "Room 4",
            "Conference Room",
            "noreply@example.org",
            "no-reply@example.org",
            "Ana <notifications@example.org>",
            "GitHub",
            "rust-users@lists.example.org",
            "Zoom",
            "Claude",
            "Ana via LinkedIn",
            "The Acme Team",
            "x",
            "a, b, c, d",
            "one two three four five six",
            "user42",
            "MAILER-DAEMON",
            "Acme Ltd.",
            "assistant",
            "<>",
            "@",
            "support@example.org",
            "ana@example.org",
            "ana-devel@example.org",
            "Ana Devel <ana-devel@example.org>",
            "Board <board@example.org>",
            "The Council of Elders",
            "Kundenservice",
            "Net Dev <netdev@vger.kernel.org>",
            "Ana Mailing List",
            "trivial@kernel.org",
        ] {
            assert_eq!(person(raw), None, "{raw}");
        }
        assert_eq!(person(&"x".repeat(1 << 20)), None);
    }
}
