//! Hooks in the settings of a host: under `hooks`, for each event, an array of groups, each with an
//! array of hooks. Ours calls the tool `observe`, and is the only one of its group.
//!
//! Only our hook is inserted, replaced or removed, as [`super`] does with the server. Removing it
//! also removes the group, the event and the object that held nothing else.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::{Value, json};

use super::edit::Edit;
use super::{Document, NAME, Object, grammar};

/// The member that holds the hooks, of the settings and of a group.
const HOOKS: &str = "hooks";
/// The tool that our hooks call.
const TOOL: &str = "observe";

/// A hook of ours: the event that runs it, and the arguments of the tool.
pub(crate) struct Hook {
    pub(crate) event: &'static str,
    pub(crate) input: Value,
}

impl Hook {
    /// The hook in the form of hosts.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "type": "mcp_tool", "server": NAME, "tool": TOOL, "input": self.input })
    }
}

/// Where the hooks of an event are.
struct Place {
    hooks: Option<Object>,
    groups: Option<Object>,
    own: Option<OwnHook>,
}

/// Our hook.
struct OwnHook {
    /// The place of its group, if nothing else is in the group.
    lone_group: Option<usize>,
    /// The hooks of its group, and its place among them.
    hooks: Object,
    place: usize,
    value: Value,
}

/// Our hooks in a text, by event, in the order of `hooks`; none where the event has none of ours.
pub(crate) fn found(text: &str, hooks: &[Hook]) -> Result<Vec<Option<Value>>, String> {
    let document = Document::read(text)?;
    let values = hooks.iter().map(|hook| {
        let place = Place::of(&document, hook.event)?;
        Ok(place.own.map(|own| own.value))
    });
    values.collect()
}

/// The text with our hooks.
pub(crate) fn with(text: &str, hooks: &[Hook]) -> Result<String, String> {
    let mut text = text.to_owned();
    for hook in hooks {
        let document = Document::read(&text)?;
        let written = document.with_hook(hook)?;
        text = document.marked(written);
    }
    Ok(text)
}

/// The text without our hooks; empty if nothing is left.
pub(crate) fn without(text: &str, hooks: &[Hook]) -> Result<String, String> {
    let mut text = text.to_owned();
    for hook in hooks.iter().rev() {
        let document = Document::read(&text)?;
        let left = document.without_hook(hook.event)?;
        text = document.marked(left);
        if text.is_empty() {
            break;
        }
    }
    Ok(text)
}

impl Document {
    fn with_hook(&self, hook: &Hook) -> Result<String, String> {
        let Place { hooks, groups, own } = Place::of(self, hook.event)?;
        let (value, group) = (hook.to_json(), json!({ HOOKS: [hook.to_json()] }));
        Ok(match (own, &groups, &hooks) {
            (Some(own), ..) if own.value == value => self.text.clone(),
            (Some(own), ..) => {
                let part = own.hooks.members.get(own.place).map(|hook| hook.value.clone());
                let part = part.ok_or("its hooks cannot be edited")?;
                let text = self.shown(&value, &self.layout(&own.hooks));
                self.edited(&[Edit { part, text }])
            }
            (None, Some(groups), _) => self.with_element(groups, &group),
            (None, None, Some(hooks)) => self.with_member(hooks, hook.event, &json!([group])),
            (None, None, None) => {
                self.with_member(&self.root, HOOKS, &json!({ hook.event: [group] }))
            }
        })
    }

    fn without_hook(&self, event: &str) -> Result<String, String> {
        let place = Place::of(self, event)?;
        let (Some(own), Some(groups)) = (place.own, place.groups) else {
            return Ok(self.text.clone());
        };
        let Some(group) = own.lone_group else {
            return Ok(self.without_place(&own.hooks, own.place));
        };
        let document = Self::read(&self.without_place(&groups, group))?;
        let Place { hooks: Some(hooks), groups: Some(groups), .. } = Place::of(&document, event)?
        else {
            return Ok(document.text);
        };
        if !document.is_blank(&groups) {
            return Ok(document.text);
        }
        let document = Self::read(&document.without_member(&hooks, event))?;
        match Place::of(&document, event)?.hooks {
            Some(hooks) if document.is_blank(&hooks) => {
                Ok(Self::read(&document.without_member(&document.root, HOOKS))?.unless_blank())
            }
            _ => Ok(document.text),
        }
    }
}

impl Place {
    fn of(document: &Document, event: &str) -> Result<Self, String> {
        let parsed = parse_to_ast(&document.text, &CollectOptions::default(), &grammar::GRAMMAR);
        let parsed = parsed.map_err(|error| format!("it is not valid JSON: {error}"))?;
        let Some(ast::Value::Object(root)) = parsed.value else {
            return Err("it is not a JSON object".to_owned());
        };
        let hooks = match root.get(HOOKS).map(|member| &member.value) {
            Some(ast::Value::Object(hooks)) => hooks,
            Some(_) => return Err(format!("its {HOOKS} is not an object")),
            None => return Ok(Self { hooks: None, groups: None, own: None }),
        };
        let groups = match hooks.get(event).map(|member| &member.value) {
            Some(ast::Value::Array(groups)) => Some(groups),
            Some(_) => return Err(format!("its {HOOKS}.{event} is not an array")),
            None => None,
        };
        let own = groups.and_then(|groups| {
            let mut places = groups.elements.iter().enumerate();
            places.find_map(|(place, group)| OwnHook::of(place, group))
        });
        let hooks = Object::of(hooks);
        if Object::of(&root).times(HOOKS) > 1 || hooks.times(event) > 1 {
            return Err("it has a duplicate key".to_owned());
        }
        Ok(Self { hooks: Some(hooks), groups: groups.map(Object::of_array), own })
    }
}

impl OwnHook {
    fn of(group_place: usize, group: &ast::Value<'_>) -> Option<Self> {
        let ast::Value::Object(group) = group else { return None };
        let ast::Value::Array(hooks) = &group.get(HOOKS)?.value else { return None };
        let values = hooks.elements.iter().map(|hook| Value::from(hook.clone()));
        let (place, value) = values.enumerate().find(|(_, hook)| is_own(hook))?;
        let is_alone = group.properties.len() == 1 && hooks.elements.len() == 1;
        Some(Self {
            lone_group: is_alone.then_some(group_place),
            hooks: Object::of_array(hooks),
            place,
            value,
        })
    }
}

fn is_own(hook: &Value) -> bool {
    let is = |name: &str, expected: &str| hook.get(name).and_then(Value::as_str) == Some(expected);
    is("type", "mcp_tool") && is("server", NAME) && is("tool", TOOL)
}
