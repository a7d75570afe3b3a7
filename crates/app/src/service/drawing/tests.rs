use kernel::id::OpId;

use super::*;

/// A hostile text in every box.
const HOSTILE: &str = "a\"]; b --> c <script>alert('x')</script> & `d` \\\" ]] %% \u{1b}[31m\u{9b}31m\n#quot; \u{202e}";

fn boxed(number: u8, role: BoxRole, depth: usize) -> DiagramBox {
    let (id, kind) = (OpId([number; 32]), "fact".to_owned());
    DiagramBox { id, kind, label: label(HOSTILE), role, depth }
}

fn diagram() -> Diagram {
    let arrow = |from, to, label| Arrow { from, to, label };
    Diagram {
        boxes: vec![
            boxed(1, BoxRole::Target, 0),
            boxed(2, BoxRole::Chosen, 1),
            boxed(3, BoxRole::Outside, 1),
            boxed(4, BoxRole::Other, 2),
            boxed(5, BoxRole::Evidence, 3),
        ],
        arrows: vec![
            arrow(0, 1, "depends_on"),
            arrow(0, 2, "supports"),
            arrow(1, 3, "input"),
            arrow(3, 1, "depends_on"),
            arrow(3, 4, "input"),
        ],
        clusters: vec![vec![1, 3]],
        left_out: 2,
    }
}

fn is_free_of_controls(text: &str) {
    let is_command = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert_eq!(text.chars().find(|c| is_command(*c)), None, "{text}");
}

#[test]
fn dot_quotes_every_text() {
    let text = dot(&diagram());
    is_free_of_controls(&text);
    // An odd number of quotation marks that are not escaped would end a text early.
    for line in text.lines() {
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
        assert!(!bare.contains("alert") || bare.starts_with("  n"), "{line}");
    }
    assert!(text.starts_with("digraph why {") && text.ends_with("}\n"));
    assert!(text.contains("subgraph cluster_0 { label=\"cycle\"; n1; n3; }"), "{text}");
    assert_eq!(text.matches(" -> ").count(), 5);
}

#[test]
fn mermaid_texts_are_entity_codes_where_they_might_be_syntax() {
    let text = mermaid(&diagram());
    is_free_of_controls(&text);
    let boxes: Vec<&str> = text.lines().filter(|line| line.contains("[\"fact")).collect();
    assert_eq!(boxes.len(), 5);
    for line in boxes {
        let label = line.split_once("[\"").unwrap().1.rsplit_once("\"]").unwrap().0;
        let label = label.replacen("<br/>", "", 1);
        assert!(!label.contains(['"', '<', '>', '[', ']', '`', '&', '%', '\\']), "{label}");
    }
    assert_eq!(text.matches(" -->|").count(), 5);
    assert!(text.contains("subgraph cycle0[\"cycle\"]"), "{text}");
}

#[test]
fn svg_is_well_formed_whatever_the_texts_are() {
    let text = svg(&diagram());
    is_free_of_controls(&text);
    assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"));
    assert!(!text.contains("<script") && text.contains("&lt;script&gt;"), "{text}");
    // Every tag is one that the renderer writes, and every entity is complete.
    for piece in text.split('<').skip(1) {
        let name = piece.split([' ', '>', '/']).next().unwrap();
        assert!(["svg", "rect", "line", "text", ""].contains(&name), "{piece}");
    }
    for piece in text.split('&').skip(1) {
        let name = piece.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "{piece}");
    }
    assert_eq!(text.matches("<line ").count(), 5);
    assert_eq!(text.matches("(in a cycle)").count(), 2);
}

#[test]
fn a_tree_writes_a_record_out_once() {
    let lines = tree(&diagram());
    lines.iter().for_each(|line| is_free_of_controls(line));
    let heads: Vec<String> = lines
        .iter()
        .map(|line| line.chars().take_while(|c| *c != 'a').collect::<String>())
        .collect();
    assert_eq!(heads[0], "  depends_on: * f");
    assert_eq!(heads[1], "    input: f");
    assert_eq!(heads[2], "      depends_on: * f");
    assert_eq!(heads[3], "      input: f");
    assert_eq!(heads[4], "  supports: ~ f");
    assert!(lines[2].contains("(above)") && lines[2].contains("(in a cycle)"), "{lines:?}");
    assert_eq!(lines[5], "  … and 2 more");
}

#[test]
fn a_tree_writes_some_of_the_evidence_of_a_record() {
    let boxes = (0..8).map(|number| {
        let role = if number == 0 { BoxRole::Target } else { BoxRole::Evidence };
        boxed(number, role, 1)
    });
    let arrows = (1..8).map(|to| Arrow { from: 0, to, label: "input" }).collect();
    let lines = tree(&Diagram { boxes: boxes.collect(), arrows, ..Diagram::default() });
    assert_eq!((lines.len(), lines[3].as_str()), (4, "  input: … and 4 more"));
}
