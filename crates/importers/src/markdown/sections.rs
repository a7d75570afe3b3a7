//! A note's body as sections: the text under each heading, in readable form.
//!
//! Markup that carries words is kept light (list marks, task boxes, line breaks), and so are the
//! marks of code and quotations, whose words are not the note's author's. Markup that would be
//! noise in a search (link targets, HTML tags, emphasis) is dropped from the text, and link targets
//! are kept in a separate list.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::secrets;

/// Longest heading that is kept, in characters.
pub(super) const HEADING_CHARS_MAX: usize = 200;
/// Most links, tags and tasks kept for one section.
const MENTIONS_MAX: usize = 256;
/// Longest tag, link or name; longer ones are only text.
const MENTION_BYTES_MAX: usize = 2_048;
/// What stands around text that is struck out: it does not hold any more.
const STRUCK: &str = "~~";
/// The line around a block of code.
const FENCE: &str = "```";
/// Deepest list whose indentation is shown.
const INDENT_MAX: usize = 6;

/// The text under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    /// The headings above it, outermost first, its own last; empty before the first heading.
    pub(super) path: Vec<String>,
    /// Whether the outermost of them is a heading of the first level.
    pub(super) is_below_first_level: bool,
    /// Paragraphs, lists, tables, code: each as text.
    pub(super) blocks: Vec<String>,
    /// Targets of links, in order, each once.
    pub(super) links: Vec<String>,
    /// Labels, without `#`, in order, each once.
    pub(super) tags: Vec<String>,
    /// Texts of tasks that are not done.
    pub(super) open_tasks: Vec<String>,
    /// How many tasks are done.
    pub(super) done_tasks: usize,
}

/// Splits a body into sections. Never fails: every text is Markdown.
pub(super) fn read(body: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_WIKILINKS;
    let mut reader = Reader::default();
    for event in TextMergeStream::new(Parser::new_ext(body, options)) {
        reader.event(event);
    }
    reader.finish_section(None);
    reader.sections
}

/// Whether a heading says something by itself. What templates leave empty are mostly a word or two
/// (`## Tasks`) or questions.
fn says_something(heading: &str) -> bool {
    const WORDS_MIN: usize = 3;
    heading.split_whitespace().count() >= WORDS_MIN && !heading.ends_with(['?', ':'])
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    section: Section,
    headings: Vec<(HeadingLevel, String)>,
    block: String,
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// Where the words of the outermost quotation begin.
    quote_start: usize,
    in_code: bool,
    in_heading: bool,
    task: Option<(bool, usize)>,
    /// Where the words of an image begin, and its target.
    image: Option<(usize, String)>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                if !self.in_code {
                    mentions(&text, &mut self.section);
                }
                self.block.push_str(&text);
            }
            Event::Code(text) if !self.in_heading => {
                self.block.push('`');
                self.block.push_str(&text);
                self.block.push('`');
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.block.push_str(&text)
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                self.block.push_str(&without_tags(&html))
            }
            Event::SoftBreak | Event::HardBreak => {
                self.block.push(if self.in_heading { ' ' } else { '\n' })
            }
            Event::TaskListMarker(done) => {
                self.task = Some((done, self.block.len()));
                self.block.push_str(if done { "[x] " } else { "[ ] " });
            }
            Event::Rule => self.end_block(),
            Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } if self.is_outermost() => {
                self.end_block();
                self.finish_section(Some(level));
                self.headings.retain(|(above, _)| *above < level);
                self.headings.push((level, String::new()));
                self.in_heading = true;
            }
            Tag::Strikethrough if !self.in_heading => self.block.push_str(STRUCK),
            Tag::List(first) => {
                // A task ends where its subtasks begin.
                self.end_task();
                self.new_line();
                self.lists.push(first);
            }
            Tag::Item => {
                self.new_line();
                let depth = self.lists.len().saturating_sub(1).min(INDENT_MAX);
                self.block.push_str(&"  ".repeat(depth));
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        self.block.push_str(&format!("{number}. "));
                        *number = number.saturating_add(1);
                    }
                    _ => self.block.push_str("- "),
                }
            }
            Tag::BlockQuote(_) => {
                self.new_line();
                if self.quotes == 0 {
                    self.quote_start = self.block.len();
                }
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.new_line();
                self.block.push_str(FENCE);
                self.block.push('\n');
                self.in_code = true;
            }
            Tag::Link { dest_url, .. } => add_once(&mut self.section.links, &dest_url),
            Tag::Image { dest_url, .. } => {
                add_once(&mut self.section.links, &dest_url);
                self.image = Some((self.block.len(), dest_url.to_string()));
            }
            _ => {}
        }
    }

    /// Obsidian writes an image's size in the place of its words: `![[map.png|200]]`.
    fn end_image(&mut self) {
        let Some((start, target)) = self.image.take() else { return };
        let words = self.block.get(start..).unwrap_or_default();
        let is_size =
            !words.is_empty() && words.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
        if is_size {
            self.block.truncate(start);
            self.block.push_str(&target);
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) if self.in_heading => {
                self.in_heading = false;
                let text: String = self.block.split_whitespace().collect::<Vec<_>>().join(" ");
                self.block.clear();
                if let Some((_, heading)) = self.headings.last_mut() {
                    *heading = secrets::cut_chars(&text, HEADING_CHARS_MAX).to_owned();
                }
                self.section.path =
                    self.headings.iter().map(|(_, heading)| heading.clone()).collect();
                self.section.is_below_first_level =
                    self.headings.first().is_some_and(|(level, _)| *level == HeadingLevel::H1);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.end_outer_block();
            }
            TagEnd::Item => self.end_task(),
            TagEnd::Strikethrough if !self.in_heading => self.block.push_str(STRUCK),
            TagEnd::Image => self.end_image(),
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                if self.quotes == 0 {
                    self.mark_quote();
                }
                self.end_outer_block();
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.new_line();
                self.block.push_str(FENCE);
                self.end_outer_block();
            }
            TagEnd::Paragraph => {
                self.end_task();
                self.end_outer_block();
            }
            TagEnd::TableCell => self.block.push_str(" | "),
            TagEnd::TableRow | TagEnd::TableHead => {
                let kept = self.block.trim_end_matches([' ', '|']).len();
                self.block.truncate(kept);
                self.block.push('\n');
            }
            TagEnd::Heading(_) | TagEnd::Table | TagEnd::FootnoteDefinition | TagEnd::HtmlBlock => {
                self.end_outer_block();
            }
            _ => {}
        }
    }

    fn is_outermost(&self) -> bool {
        self.lists.is_empty() && self.quotes == 0
    }

    fn new_line(&mut self) {
        if !self.block.is_empty() && !self.block.ends_with('\n') {
            self.block.push('\n');
        }
    }

    fn end_task(&mut self) {
        let Some((done, start)) = self.task.take() else { return };
        if done {
            self.section.done_tasks += 1;
        } else if let Some(text) =
            self.block.get(start..).and_then(|text| text.strip_prefix("[ ] "))
        {
            let line = text.lines().next().unwrap_or_default().trim().to_owned();
            add_once(&mut self.section.open_tasks, &line);
        }
    }

    /// Marks the lines of the quotation that ends.
    fn mark_quote(&mut self) {
        let words = self.block.split_off(self.quote_start.min(self.block.len()));
        for line in words.lines() {
            self.block.push_str(format!("> {line}").trim_end());
            self.block.push('\n');
        }
    }

    /// Ends a block that is not nested; within a list it ends only the line.
    fn end_outer_block(&mut self) {
        if self.is_outermost() { self.end_block() } else { self.new_line() }
    }

    fn end_block(&mut self) {
        let text = self.block.trim_end();
        if !text.trim().is_empty() {
            self.section.blocks.push(text.trim_start_matches('\n').to_owned());
        }
        self.block.clear();
    }

    /// Ends a section before a heading of the level `next`, or at the end. One without text is
    /// kept if its heading says something and heads nothing else.
    fn finish_section(&mut self, next: Option<HeadingLevel>) {
        self.end_block();
        let section = std::mem::take(&mut self.section);
        let is_leaf = || {
            let own = self.headings.last();
            own.is_some_and(|(level, heading)| {
                next.is_none_or(|next| next <= *level) && says_something(heading)
            })
        };
        if !section.blocks.is_empty() || !section.links.is_empty() || is_leaf() {
            self.sections.push(section);
        }
    }
}

pub(super) fn add_once(list: &mut Vec<String>, text: &str) {
    let fits = !text.is_empty() && text.len() <= MENTION_BYTES_MAX && list.len() < MENTIONS_MAX;
    if fits && !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// Collects `#tags` and bare URLs.
fn mentions(text: &str, section: &mut Section) {
    for word in text.split_whitespace() {
        let word = word.trim_start_matches(['(', '[', '"', '\'']);
        if word.starts_with("https://") || word.starts_with("http://") {
            let url = word.trim_end_matches(['.', ',', ')', ']', ';', '!', '?', '"', '\'']);
            add_once(&mut section.links, url);
        } else if let Some(tag) = word.strip_prefix('#').and_then(tag) {
            add_once(&mut section.tags, tag);
        }
    }
}

/// Obsidian's rule for tags: letters, digits, `_`, `-`, `/`, and not digits alone.
pub(super) fn tag(text: &str) -> Option<&str> {
    let end = text
        .char_indices()
        .find(|(_, letter)| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '/'))
        .map_or(text.len(), |(index, _)| index);
    let tag = text.get(..end)?.trim_end_matches('/');
    let after = text.get(end..)?;
    (tag.chars().any(|letter| !letter.is_ascii_digit())
        && !tag.is_empty()
        && !after.starts_with('#'))
    .then_some(tag)
}

/// The words between HTML tags; comments are dropped.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let end = if after.starts_with("!--") { "-->" } else { ">" };
        rest = after.split_once(end).map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<(String, String)> {
        read(body)
            .into_iter()
            .map(|section| (section.path.join(" > "), section.blocks.join(" / ")))
            .collect()
    }

    fn check(body: &str, expect: &[(&str, &str)]) {
        let expect: Vec<_> =
            expect.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(texts(body), expect, "{body}");
    }

    #[test]
    fn each_heading_begins_a_section_and_knows_those_above() {
        check(
            "intro\n\n# A\none\n\n## B\ntwo\n\n## C\n\n# D\nthree",
            &[("", "intro"), ("A", "one"), ("A > B", "two"), ("D", "three")],
        );
        check(
            "# Call mum on Friday\n## Buy milk tomorrow\n\n## What went well?\n## To do",
            &[("Call mum on Friday > Buy milk tomorrow", "")],
        );
        check("# Call mum on Friday", &[("Call mum on Friday", "")]);
        check("# A\n### B\nx\n## C\ny", &[("A > B", "x"), ("A > C", "y")]);
        check("> # quoted\n> text", &[("", "> quoted\n> text")]);
        check("```\n# no heading\n```", &[("", "```\n# no heading\n```")]);
    }

    #[test]
    fn the_text_is_readable_and_links_stand_apart() {
        let section =
            read("See [[Home|my home]], ![[map.png]] and [site](https://a.test/x) *now*. Or https://b.test/y.")
                .remove(0);
        assert_eq!(section.blocks, ["See my home, map.png and site now. Or https://b.test/y."]);
        assert_eq!(section.links, ["Home", "map.png", "https://a.test/x", "https://b.test/y"]);
        check("- a\n- b\n  - c\n\n1. x\n2. y", &[("", "- a\n- b\n  - c / 1. x\n2. y")]);
        check(
            "![[map.png|200]] ![[b.png|20x30]] ![[c.png|1st floor]]",
            &[("", "map.png b.png 1st floor")],
        );
        check("| a | b |\n|---|---|\n| 1 | 2 |", &[("", "a | b\n1 | 2")]);
        check("<div>words</div>\n\n<!-- no -->\n\nline<br>break", &[("", "words / linebreak")]);
    }

    #[test]
    fn code_and_quotations_keep_their_marks() {
        check("Use `x` here.\n\n    let a;\n", &[("", "Use `x` here. / ```\nlet a;\n```")]);
        check("# The `x`\nbody", &[("The x", "body")]);
        check("- one\n  > said\n  > so\n- two", &[("", "- one\n> said\n> so\n- two")]);
        check("> a\n>> b\n\nc", &[("", "> a\n> b / c")]);
    }

    #[test]
    fn tags_are_found_but_not_in_code_or_addresses() {
        let section =
            read("#tea and (#garden/herbs), #my_tag. `#code` #123 C# a#b https://x.test/#top\n\n    #indented")
                .remove(0);
        assert_eq!(section.tags, ["tea", "garden/herbs", "my_tag"]);
    }

    #[test]
    fn tasks_are_counted_and_the_open_ones_kept() {
        let section = read("- [ ] water the *tulips*\n- [x] buy soil\n- plain").remove(0);
        assert_eq!(section.open_tasks, ["water the tulips"]);
        assert_eq!(section.done_tasks, 1);
        assert_eq!(section.blocks, ["- [ ] water the tulips\n- [x] buy soil\n- plain"]);
        let section = read("- [ ] hotel\n  - [x] compare\n  - [ ] book\n- [ ] pack").remove(0);
        assert_eq!(section.open_tasks, ["hotel", "book", "pack"]);
        assert_eq!(section.done_tasks, 1);
    }

    #[test]
    fn hostile_nesting_ends() {
        for pattern in [
            "> ", "- ", "[[", "[", "![", "*a ", "`", "<", "#", "| ", "1. ", "_a_", "[^", "<!--",
            "](", "\\",
        ] {
            let started = std::time::Instant::now();
            let _ = read(&pattern.repeat(30_000 / pattern.len()));
            assert!(started.elapsed().as_secs() < 10, "{pattern:?} took {:?}", started.elapsed());
        }
    }
}
