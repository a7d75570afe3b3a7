//! Names that mark a value as a possible secret: `password`, `api_key`, Kennwort.

use super::SecretKind;

/// A name and the kind of its value.
pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) kind: SecretKind,
    /// True if the name is also the end of longer words (`bypass`) and so counts only by itself.
    pub(super) is_short: bool,
}

const fn password(name: &'static str) -> Keyword {
    Keyword { name, kind: SecretKind::Password, is_short: false }
}

const fn short_password(name: &'static str) -> Keyword {
    Keyword { name, kind: SecretKind::Password, is_short: true }
}

const fn secret(name: &'static str) -> Keyword {
    Keyword { name, kind: SecretKind::AssignedSecret, is_short: false }
}

/// Every name. Upper and lower case are the same in ASCII only.
pub(super) const KEYWORDS: [Keyword; 75] = [
    password("password"),
    password("passwd"),
    password("passphrase"),
    password("pass phrase"),
    password("passcode"),
    password("pwd"),
    short_password("pass"),
    short_password("pw"),
    // German, Dutch, Danish, Norwegian, Swedish, Finnish.
    password("passwort"),
    password("kennwort"),
    password("wachtwoord"),
    password("adgangskode"),
    password("passord"),
    password("lösenord"),
    password("salasana"),
    // French, Spanish, Catalan, Portuguese, Italian, Romanian.
    password("mot de passe"),
    short_password("mdp"),
    password("contraseña"),
    password("CONTRASEÑA"),
    password("contrasena"),
    password("contrasenya"),
    short_password("senha"),
    password("palavra-passe"),
    password("parola d'ordine"),
    short_password("parola"),
    short_password("parolă"),
    // Polish, Czech, Hungarian, Turkish, Greek, Russian, Ukrainian.
    short_password("hasło"),
    short_password("heslo"),
    password("jelszó"),
    password("şifre"),
    password("Şifre"),
    password("κωδικός"),
    password("Κωδικός"),
    password("пароль"),
    password("Пароль"),
    password("ПАРОЛЬ"),
    // Chinese, Japanese, Korean, Arabic, Hebrew, Vietnamese, Indonesian.
    password("密码"),
    password("密碼"),
    password("암호"),
    password("口令"),
    password("パスワード"),
    password("비밀번호"),
    password("كلمة المرور"),
    password("كلمة السر"),
    password("סיסמה"),
    password("mật khẩu"),
    password("kata sandi"),
    secret("secret"),
    secret("token"),
    secret("apikey"),
    secret("api_key"),
    secret("api-key"),
    secret("api key"),
    secret("access_key"),
    secret("accesskey"),
    secret("access-key"),
    secret("access key"),
    secret("secret key"),
    secret("private_key"),
    secret("privatekey"),
    secret("private key"),
    secret("private-key"),
    secret("x-amz-signature"),
    secret("bw_session"),
    secret("auth_key"),
    secret("authkey"),
    secret("auth key"),
    secret("account_key"),
    secret("accountkey"),
    secret("account key"),
    secret("signing_key"),
    secret("encryption_key"),
    secret("encryption key"),
    secret("master_key"),
    secret("credentials"),
];

/// What may follow the keyword within the same name.
const NAME_ENDS: [&str; 14] = [
    "",
    "_base",
    "_key",
    "_key_base",
    "_token",
    "_prod",
    "_production",
    "_dev",
    "_test",
    "_staging",
    "_value",
    "key",
    "-key",
    "accesskey",
];

/// True if `rest` may follow a keyword within a name.
pub(super) fn is_name_end(rest: &str) -> bool {
    let rest =
        rest.trim_end_matches(|last: char| last.is_ascii_digit()).trim_end_matches(['_', '-']);
    NAME_ENDS.iter().any(|end| end.eq_ignore_ascii_case(rest))
}

/// True if a short keyword stands by itself at `start`: after a sign, or as a hump (`smtpPass`).
pub(super) fn begins_name(bytes: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|index| bytes.get(index));
    let is_hump = bytes.get(start).is_some_and(u8::is_ascii_uppercase)
        && before.is_some_and(u8::is_ascii_lowercase);
    is_hump || before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte.is_ascii())
}
