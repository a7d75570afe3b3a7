//! Writing canonical JSON in one pass.
//!
//! The value is written as it comes, and the members of each object are put into their order when
//! the object ends. So nothing is allocated for a member, and bytes are moved at most once for each
//! level above them. Limits are checked while writing, so what was written need not be read again.

use std::cmp::Ordering;
use std::io::{Error, ErrorKind, Result, Write, sink};
use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use super::{CanonicalError, DEPTH_MAX, INTEGER_MAX};

/// What is refused while writing.
#[derive(Clone, Copy)]
pub(super) enum Limits {
    /// Only what has no canonical form.
    None,
    /// What [`super::parse_inside`] would refuse at that depth, too.
    Inside(usize),
}

/// The canonical bytes of a value.
pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    limits: Limits,
) -> std::result::Result<Vec<u8>, CanonicalError> {
    let mut state = State {
        bytes: Vec::with_capacity(256),
        members: Vec::new(),
        objects: Vec::new(),
        depth: 0,
        limits,
        moved: Vec::new(),
    };
    value
        .serialize(&mut Serializer::with_formatter(sink(), Canonical(&mut state)))
        .map_err(|error| CanonicalError(error.to_string()))?;
    Ok(state.bytes)
}

struct State {
    bytes: Vec<u8>,
    /// The members of the objects that are open, each from its name to the end of its value.
    members: Vec<Member>,
    /// For each open object, how many members there were before it.
    objects: Vec<usize>,
    depth: usize,
    limits: Limits,
    /// Where members are put into their order.
    moved: Vec<u8>,
}

/// A member of an object.
struct Member {
    /// Its name with quotes, in the bytes.
    name: Range<usize>,
    /// Where its value ends.
    end: usize,
}

/// Writes into the state; the writer that it is given stays empty.
struct Canonical<'s>(&'s mut State);

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidData, message)
}

impl State {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn integer(&mut self, value: impl std::fmt::Display, magnitude: u128) -> Result<()> {
        if magnitude > u128::from(INTEGER_MAX) {
            if matches!(self.limits, Limits::Inside(_)) {
                return Err(refused(format!("the integer {value} is beyond 2^53 - 1")));
            }
            // A double may not hold it; its canonical form is that of the nearest one.
            return self.double(value.to_string().parse().unwrap_or(f64::INFINITY));
        }
        write!(self.bytes, "{value}")
    }

    fn double(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(refused("a number is not finite".to_owned()));
        }
        if matches!(self.limits, Limits::Inside(_)) && value.abs() > INTEGER_MAX as f64 {
            return Err(refused(format!("the number {value:e} is beyond 2^53 - 1")));
        }
        self.put(ryu_js::Buffer::new().format_finite(value).as_bytes())
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        match self.limits {
            Limits::Inside(depth) if depth + self.depth > DEPTH_MAX => {
                Err(refused(format!("nesting is deeper than {DEPTH_MAX}")))
            }
            _ => Ok(()),
        }
    }

    /// Puts the members of the object that ends into their order.
    fn order(&mut self) -> Result<()> {
        let first = self.objects.pop().unwrap_or_default();
        let mut members = self.members.split_off(first);
        let (Some(begin), Some(end)) =
            (members.first().map(|first| first.name.start), members.last().map(|last| last.end))
        else {
            return Ok(());
        };
        let name = |member: &Member| self.bytes.get(member.name.clone()).unwrap_or_default();
        if members.is_sorted_by(|one, other| compare(name(one), name(other)).is_lt()) {
            return Ok(());
        }
        members.sort_by(|one, other| compare(name(one), name(other)));
        let is_repeated =
            |pair: &&[Member]| matches!(pair, [one, other] if name(one) == name(other));
        if let Some([one, ..]) = members.windows(2).find(is_repeated) {
            let name = String::from_utf8_lossy(name(one));
            return Err(refused(format!("the name {name} is repeated")));
        }
        self.moved.clear();
        for member in &members {
            if !self.moved.is_empty() {
                self.moved.push(b',');
            }
            let written = self.bytes.get(member.name.start..member.end).unwrap_or_default();
            self.moved.extend_from_slice(written);
        }
        if let Some(place) = self.bytes.get_mut(begin..end) {
            place.copy_from_slice(&self.moved);
        }
        Ok(())
    }
}

/// The order of two names, in quotes: that of their UTF-16 code units.
fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let inner = |name: &'_ [u8]| 1..name.len().saturating_sub(1);
    let is_plain = |name: &[u8]| name.is_ascii() && !name.contains(&b'\\');
    if is_plain(one) && is_plain(other) {
        return one.get(inner(one)).cmp(&other.get(inner(other)));
    }
    let units = |name: &[u8]| -> Vec<u16> {
        let name: String = serde_json::from_slice(name).unwrap_or_default();
        name.encode_utf16().collect()
    };
    units(one).cmp(&units(other))
}

/// Integers of one type.
macro_rules! integers {
    ($($write:ident: $integer:ty,)+) => {
        $(fn $write<W: ?Sized + Write>(&mut self, _: &mut W, value: $integer) -> Result<()> {
            #[allow(unused_comparisons, reason = "some are never negative")]
            let magnitude = if value < 0 { (value as i128).unsigned_abs() } else { value as u128 };
            self.0.integer(value, magnitude)
        })+
    };
}

impl Formatter for Canonical<'_> {
    integers! {
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128,
    }

    fn write_null<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.put(b"null")
    }

    fn write_bool<W: ?Sized + Write>(&mut self, _: &mut W, value: bool) -> Result<()> {
        self.0.put(if value { b"true" } else { b"false" })
    }

    fn write_f32<W: ?Sized + Write>(&mut self, _: &mut W, value: f32) -> Result<()> {
        self.0.double(value.into())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, _: &mut W, value: f64) -> Result<()> {
        self.0.double(value)
    }

    fn write_number_str<W: ?Sized + Write>(&mut self, _: &mut W, value: &str) -> Result<()> {
        self.0.double(value.parse().unwrap_or(f64::INFINITY))
    }

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.put(b"\"")
    }

    fn end_string<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.put(b"\"")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, _: &mut W, text: &str) -> Result<()> {
        self.0.put(text.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> Result<()> {
        CompactFormatter.write_char_escape(&mut self.0.bytes, escape)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.enter()?;
        self.0.put(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.depth -= 1;
        self.0.put(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> Result<()> {
        self.0.put(if first { b"" } else { b"," })
    }

    fn begin_object<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.enter()?;
        self.0.objects.push(self.0.members.len());
        self.0.put(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.depth -= 1;
        self.0.order()?;
        self.0.put(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> Result<()> {
        self.0.put(if first { b"" } else { b"," })?;
        let at = self.0.bytes.len();
        self.0.members.push(Member { name: at..at, end: at });
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        if let Some(member) = self.0.members.last_mut() {
            member.name.end = self.0.bytes.len();
        }
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.put(b":")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        // The members of an object in the value were taken away when it ended.
        if let Some(member) = self.0.members.last_mut() {
            member.end = self.0.bytes.len();
        }
        Ok(())
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, _: &mut W, _: &str) -> Result<()> {
        Err(refused("a raw fragment may not be canonical".to_owned()))
    }
}
