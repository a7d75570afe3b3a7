//! Passwords in commands and in files of passwords: `curl -u ana:…`, `mysql -p…`, `.netrc`,
//! `.pgpass`.

use super::SecretKind;
use super::assignment::value;
use super::find::{Span, run};
use super::value::{is_made_of_words, is_placeholder};

/// How the password is given.
#[derive(Clone, Copy)]
enum Form {
    /// As the argument.
    Whole,
    /// As `user:password`.
    AfterUser,
}

/// An option of some programs that takes a password.
pub(super) struct CommandRule {
    /// The option, with the space before it and, unless the argument is glued to it, after it.
    pub(super) option: &'static str,
    form: Form,
    programs: &'static [&'static str],
}

const fn rule(option: &'static str, form: Form, programs: &'static [&'static str]) -> CommandRule {
    CommandRule { option, form, programs }
}

const HTTP: &[&str] = &["curl", "http", "https", "httpie", "xh", "wget"];
const SQL: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlsh",
    "mycli",
    "mariadb",
    "mariadb-dump",
];

/// Every option.
pub(super) const COMMAND_RULES: [CommandRule; 13] = [
    rule(" -u ", Form::AfterUser, HTTP),
    rule(" -u", Form::AfterUser, &["curl"]),
    rule(" -U ", Form::AfterUser, &["curl"]),
    rule(" --user ", Form::AfterUser, HTTP),
    rule(" --user=", Form::AfterUser, &["curl"]),
    rule(" --proxy-user ", Form::AfterUser, &["curl"]),
    rule(" -a ", Form::AfterUser, &["http", "https", "httpie", "xh"]),
    rule(" -p", Form::Whole, SQL),
    rule(" -p", Form::Whole, &["sshpass", "7z", "7za"]),
    rule(" -p ", Form::Whole, &["sshpass", "login"]),
    rule(" -a ", Form::Whole, &["redis-cli"]),
    rule(" -w ", Form::Whole, &["ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami"]),
    rule(" -P ", Form::Whole, &["unzip", "zip", "sqlcmd"]),
];

/// How far before an option its program is looked for.
const COMMAND_BYTES_MAX: usize = 256;
/// Longest line of a file of passwords.
const LINE_BYTES_MAX: usize = 512;
/// Shortest password that is masked.
const CHARS_MIN: usize = 3;
/// Fields of a line of `.pgpass`: host, port, database, user, password.
const PGPASS_FIELDS: usize = 5;

/// The password after the option at `start..end`.
pub(super) fn argument(text: &str, start: usize, end: usize, index: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let rule = COMMAND_RULES.get(index)?;
    if bytes.get(start..end)? != rule.option.as_bytes() {
        return None;
    }
    let is_glued = !rule.option.ends_with([' ', '=']);
    let at = if is_glued { end } else { end + run(bytes, end, 4, |byte| byte == b' ') };
    let (from, to, _) = value(bytes, at)?;
    let argument = text.get(from..to)?;
    if argument.starts_with('-') {
        return None;
    }
    let from = match rule.form {
        Form::Whole => from,
        Form::AfterUser => {
            let (user, password) = argument.split_once(':')?;
            let is_ids = argument.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
            if user.is_empty() || is_ids || password.starts_with("//") {
                return None;
            }
            from + user.len() + 1
        }
    };
    let before = bytes.get(start.saturating_sub(COMMAND_BYTES_MAX)..start)?;
    password(text, from, to).filter(|_| is_option_of(before, rule.programs))
}

fn password(text: &str, start: usize, end: usize) -> Option<Span> {
    let value = text.get(start..end)?;
    let is_secret = value.len() >= CHARS_MIN
        && !is_placeholder(value)
        && !is_made_of_words(&value.to_ascii_lowercase());
    is_secret.then_some(Span { start, end, kind: SecretKind::Password })
}

/// True if one of the programs is called in the command that `before` ends in.
fn is_option_of(before: &[u8], programs: &[&str]) -> bool {
    let line_end = |index: &usize| {
        before.get(*index) == Some(&b'\n')
            && index.checked_sub(1).is_none_or(|last| before.get(last) != Some(&b'\\'))
    };
    let from = (0..before.len()).rev().find(line_end).map_or(0, |index| index + 1);
    let command = before.get(from..).unwrap_or_default();
    command
        .split(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.'))
        .any(|word| programs.iter().any(|program| word == program.as_bytes()))
}

/// The password in a line `host:port:database:user:password`, whose second field is at `colon`.
pub(super) fn password_file(text: &str, colon: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let before = bytes.get(colon.saturating_sub(LINE_BYTES_MAX)..colon)?;
    let host = before.rsplit(|byte| byte.is_ascii_whitespace()).next()?;
    let start = colon - host.len();
    let is_host = !host.is_empty()
        && host.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_*/".contains(byte));
    let begins_line = bytes
        .get(..start)?
        .iter()
        .rev()
        .take(LINE_BYTES_MAX)
        .take_while(|byte| **byte != b'\n')
        .all(|byte| b" \t>|-*".contains(byte));
    let length = run(bytes, start, LINE_BYTES_MAX, |byte| !matches!(byte, b'\n' | b'\r'));
    let line = text.get(start..start + length)?;
    let mut fields = line.splitn(PGPASS_FIELDS, ':');
    let ahead: Vec<&str> = fields.by_ref().take(PGPASS_FIELDS - 1).collect();
    let last = fields.next()?;
    let are_names =
        ahead.iter().all(|field| !field.is_empty() && !field.contains([' ', '\t', '"']));
    let last = last.trim_end();
    let end = start + line.trim_end().len();
    (is_host && begins_line && are_names && !last.contains(char::is_whitespace))
        .then(|| password(text, end - last.len(), end))?
}

/// The password of a `.netrc` or of a router's `username … password …`, whose word `password` is at
/// `start..end`.
pub(super) fn after_login(text: &str, start: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = text.ceil_char_boundary(start.saturating_sub(LINE_BYTES_MAX));
    let mut before = text.get(from..start)?.split_whitespace().rev();
    let (user, login, host, machine) =
        (before.next()?, before.next()?, before.next(), before.next());
    let is_netrc = matches!(login, "login" | "account")
        && (machine == Some("machine") || host == Some("default"))
        || login == "machine";
    let at = end + run(bytes, end, 8, |byte| byte == b' ' || byte == b'\t');
    let (from, to, _) = value(bytes, at)?;
    (is_netrc && !user.is_empty() && at > end).then(|| password(text, from, to))?
}
