//! Small sources of every format.

/// A chat of four turns.
pub(crate) const CHAT: &str = concat!(
    r#"{"session":"s1","speaker":"Mara","time":"2025-01-08T19:42:00+01:00","text":"Which glaze for the tall bowls?"}"#,
    "\n",
    r#"{"session":"s1","speaker":"Idris","time":"2025-01-08T19:44:00+01:00","text":"Tenmoku, with nine percent red iron oxide."}"#,
    "\n",
    r#"{"session":"s2","speaker":"Mara","time":"2025-02-03T10:00:00+01:00","text":"Jonas is allergic to walnuts."}"#,
    "\n",
    r#"{"session":"s2","speaker":"Jonas","time":"2025-02-03T10:01:00+01:00","text":"And the pottery class moves to Thursday."}"#,
    "\n",
);

/// A chat of `turns` turns, all different.
pub(crate) fn long_chat(turns: usize) -> String {
    let line = |turn: usize| {
        format!(
            r#"{{"session":"s{}","speaker":"{}","time":"2025-01-{:02}T{:02}:{:02}:00Z","text":"Bowl {turn} was fired at {} degrees with glaze {}."}}"#,
            turn / 50,
            ["Mara", "Idris"][turn % 2],
            1 + turn / 1440 % 28,
            turn / 60 % 24,
            turn % 60,
            900 + turn % 400,
            turn % 17,
        )
    };
    (0..turns).map(|turn| line(turn) + "\n").collect()
}

/// A calendar with one event.
pub(crate) const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\nBEGIN:VEVENT\r\nUID:class@x\r\nDTSTAMP:20250101T000000Z\r\nDTSTART:20250227T180000Z\r\nDTEND:20250227T200000Z\r\nSUMMARY:Pottery class\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// Numbers that look random and are the same in every run (xorshift).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
