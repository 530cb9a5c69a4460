//! What follows from a field's definition, whichever way it is coded: its Rust type, its default,
//! when it is compact, how few bytes it can take.

use crate::names;
use crate::notation::{Field, Message, Struct, Type};
use crate::versions::{Condition, Versions};

/// One field in the place where it stands.
pub struct Place<'a> {
    pub message: &'a Message,
    pub holder: &'a Struct,
    pub field: &'a Field,
}

impl<'a> Place<'a> {
    pub fn name(&self) -> String {
        names::field(&self.field.name)
    }

    /// The versions this code runs in.
    pub fn reach(&self) -> Versions {
        self.holder.reach
    }

    pub fn present(&self) -> Condition {
        self.field.versions.condition(self.reach())
    }

    /// The field's tag, and when it sits among the tagged fields.
    pub fn tagged(&self) -> Option<(u32, Condition)> {
        self.field.tag.map(|(tag, versions)| (tag, versions.condition(self.reach())))
    }

    /// The same test where it is known that there are tagged fields.
    pub fn tagged_if_flexible(&self) -> Option<(u32, Condition)> {
        let within = self.message.flexible.and_then(|f| f.and(self.reach()))?;
        self.field.tag.map(|(tag, versions)| (tag, versions.condition(within)))
    }

    /// Whether lengths are varints, for a field known to be present.
    pub fn flexible(&self) -> String {
        if self.field.inflexible {
            return "false".into();
        }
        let within = self.field.versions.and(self.reach()).unwrap_or(self.reach());
        Condition::of(self.message.flexible, within).expression().to_owned()
    }

    /// Whether null is allowed, for a field known to be present.
    pub fn nullable(&self) -> Condition {
        let within = self.field.versions.and(self.reach()).unwrap_or(self.reach());
        Condition::of(self.field.nullable, within)
    }

    /// In Rust the field is an `Option`. Records always are: nothing stands for no records.
    pub fn optional(&self) -> bool {
        self.field.nullable.is_some() || self.field.ty == Type::Records
    }

    pub fn rust_type(&self) -> String {
        let plain = rust_type(&self.field.ty);
        if self.optional() { format!("Option<{plain}>") } else { plain }
    }

    fn null_by_default(&self) -> bool {
        self.optional()
            && (self.field.ty == Type::Records || self.field.default.as_deref() == Some("null"))
    }

    /// The default as an expression, or `None` where `Default::default()` gives it.
    pub fn default(&self) -> Option<String> {
        if self.null_by_default() {
            return None;
        }
        let plain = self.field.default.as_deref().map(|d| match self.field.ty {
            Type::String => format!("Str::from_static({d:?})"),
            _ => group_digits(d),
        });
        match (plain, self.optional()) {
            (Some(plain), true) => Some(format!("Some({plain})")),
            (plain, false) => plain,
            (None, true) => Some("Some(Default::default())".into()),
        }
    }

    /// A boolean expression: the field of `self` is not at its default.
    pub fn differs(&self) -> String {
        let name = self.name();
        let default = self.field.default.as_deref();
        if self.null_by_default() {
            return format!("self.{name}.is_some()");
        }
        if self.optional() {
            return match &self.field.ty {
                Type::String | Type::Bytes | Type::Array(_) if default.is_none() => {
                    format!("self.{name}.as_ref().is_none_or(|x| !x.is_empty())")
                }
                _ => format!("self.{name} != {}", self.default().unwrap_or_default()),
            };
        }
        match &self.field.ty {
            Type::Bool if default == Some("true") => format!("!self.{name}"),
            Type::Bool => format!("self.{name}"),
            Type::Number("f64") => format!("self.{name} != {}", default.unwrap_or("0.0")),
            Type::Number(_) => format!("self.{name} != {}", group_digits(default.unwrap_or("0"))),
            Type::String if default.is_some() => {
                format!("*self.{name} != *{:?}", default.unwrap_or_default())
            }
            Type::String | Type::Bytes | Type::Array(_) => format!("!self.{name}.is_empty()"),
            Type::Uuid => format!("!self.{name}.is_zero()"),
            Type::Struct(of) => format!("self.{name} != {of}::default()"),
            Type::Records => format!("self.{name}.is_some()"),
        }
    }
}

/// `2147483647` → `2_147_483_647`; anything but a long number stays.
fn group_digits(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d));
    if digits.len() < 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.to_owned();
    }
    let mut out = String::from(sign);
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('_');
        }
        out.push(c);
    }
    out
}

pub fn rust_type(ty: &Type) -> String {
    match ty {
        Type::Number(name) => (*name).to_owned(),
        Type::Bool => "bool".into(),
        Type::String => "Str".into(),
        Type::Bytes => "Bytes".into(),
        Type::Records => "Records".into(),
        Type::Uuid => "Uuid".into(),
        Type::Struct(name) => name.clone(),
        Type::Array(item) => format!("Vec<{}>", rust_type(item)),
    }
}

/// The fewest bytes one item of an array field can take, over the versions that have the field.
pub fn item_bytes_min(place: &Place<'_>, item: &Type) -> usize {
    let versions = place.field.versions.and(place.reach()).unwrap_or(place.reach());
    versions
        .iter()
        .map(|v| bytes_min(place.message, item, v, place.field.inflexible))
        .min()
        .unwrap_or(0)
}

fn bytes_min(message: &Message, ty: &Type, version: i16, inflexible: bool) -> usize {
    let flexible = !inflexible && message.flexible.is_some_and(|f| f.contains(version));
    match ty {
        Type::Bool | Type::Number("i8") => 1,
        Type::Number("i16" | "u16") => 2,
        Type::Number("i32" | "u32") => 4,
        Type::Number(_) => 8,
        Type::Uuid => 16,
        Type::String => {
            if flexible {
                1
            } else {
                2
            }
        }
        Type::Bytes | Type::Records | Type::Array(_) => {
            if flexible {
                1
            } else {
                4
            }
        }
        Type::Struct(name) => message
            .structs
            .iter()
            .find(|s| s.name == *name)
            .map_or(0, |s| struct_bytes_min(message, s, version)),
    }
}

fn struct_bytes_min(message: &Message, of: &Struct, version: i16) -> usize {
    let tags = usize::from(message.flexible.is_some_and(|f| f.contains(version)));
    let field = |f: &Field| {
        let tagged = f.tag.is_some_and(|(_, v)| v.contains(version));
        let null = f.nullable.is_some_and(|v| v.contains(version));
        match (f.versions.contains(version) && !tagged, &f.ty) {
            (false, _) => 0,
            (true, Type::Struct(_)) if null => 1,
            (true, ty) => bytes_min(message, ty, version, f.inflexible),
        }
    };
    tags + of.fields.iter().map(field).sum::<usize>()
}
