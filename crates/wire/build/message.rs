//! The Rust module of one message: its structures, their defaults and codecs.

use crate::layout::Place;
use crate::names;
use crate::notation::{Kind, Message, Struct};
use crate::out::Out;
use crate::versions::{Condition, Versions};
use crate::{arbitrary, read, write};

pub fn module(message: &Message) -> Result<String, String> {
    let mut out = Out::default();
    out.line("use crate::generated::*;");
    for of in &message.structs {
        structure(&mut out, message, of)?;
    }
    if let Some(valid) = message.valid {
        traits(&mut out, message, valid);
    }
    Ok(out.finish())
}

fn structure(out: &mut Out, message: &Message, of: &Struct) -> Result<(), String> {
    let places: Vec<Place<'_>> =
        of.fields.iter().map(|field| Place { message, holder: of, field }).collect();
    let natural = places.iter().all(|p| p.default().is_none());
    out.line("");
    let default = if natural { ", Default" } else { "" };
    out.line(&format!("#[derive(Debug, Clone, PartialEq{default})]"));
    out.open(&format!("pub struct {} {{", of.name));
    for place in &places {
        if let Some(doc) = field_doc(place) {
            out.line(&format!("/// {doc}"));
        }
        out.line(&format!("pub {}: {},", place.name(), place.rust_type()));
    }
    out.line("pub unknown_tagged_fields: UnknownTags,");
    out.close("}");
    if !natural {
        defaults(out, of, &places);
    }
    out.line("");
    out.open(&format!("impl {} {{", of.name));
    read::function(out, message, of, &places)?;
    out.line("");
    write::function(out, message, of, &places)?;
    out.close("}");
    out.line("");
    arbitrary::implementation(out, message, of, &places)
}

fn defaults(out: &mut Out, of: &Struct, places: &[Place<'_>]) {
    out.line("");
    out.open(&format!("impl Default for {} {{", of.name));
    out.open("fn default() -> Self {");
    out.open("Self {");
    for place in places {
        let value = place.default().unwrap_or_else(|| "Default::default()".into());
        out.line(&format!("{}: {value},", place.name()));
    }
    out.line("unknown_tagged_fields: UnknownTags::default(),");
    out.close("}");
    out.close("}");
    out.close("}");
}

fn field_doc(place: &Place<'_>) -> Option<String> {
    let field = place.field;
    let mut parts = Vec::new();
    if place.present() != Condition::Always {
        let newest = place.message.valid.map_or(i16::MAX, |v| v.last);
        parts.push(format!("in versions {}", range(field.versions, newest)));
    }
    if let Some((tag, _)) = field.tag {
        parts.push(format!("tag {tag}"));
    }
    if field.ignorable && place.present() != Condition::Always {
        parts.push("dropped silently by the others".into());
    }
    let text = parts.join(", ");
    let mut chars = text.chars();
    chars.next().map(|c| format!("{}{}.", c.to_uppercase(), chars.as_str()))
}

fn range(versions: Versions, newest: i16) -> String {
    match (versions.first, versions.last) {
        (first, last) if last == newest => format!("{first} and up"),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    }
}

fn traits(out: &mut Out, message: &Message, valid: Versions) {
    let name = &message.name;
    let flexible = match message.flexible {
        None => "None".to_owned(),
        Some(from) => format!("Some({})", from.first),
    };
    out.line("");
    out.open(&format!("impl Message for {name} {{"));
    out.line(&format!("const NAME: &'static str = \"{name}\";"));
    out.line(&format!("const VALID: RangeInclusive<i16> = {}..={};", valid.first, valid.last));
    out.line(&format!("const FLEXIBLE_FROM: Option<i16> = {flexible};"));
    out.line("");
    out.open("fn decode(r: &mut Reader, version: i16) -> Result<Self, DecodeError> {");
    out.line("check_decodable::<Self>(version)?;");
    out.line("Self::read(r, version)");
    out.close("}");
    out.line("");
    out.open("fn encode(&self, w: &mut Writer, version: i16) -> Result<(), EncodeError> {");
    out.line("check_encodable::<Self>(version)?;");
    out.line("self.write(w, version)");
    out.close("}");
    out.close("}");
    if let (Kind::Request, Some(_)) = (message.kind, message.key) {
        let api = name.strip_suffix("Request").unwrap_or(name);
        let module = names::snake(api);
        out.line("");
        out.open(&format!("impl Request for {name} {{"));
        out.line(&format!("const KEY: ApiKey = ApiKey::{};", names::constant(api)));
        out.line(&format!("type Response = super::{module}_response::{api}Response;"));
        out.close("}");
    }
    let numbered = match message.kind {
        Kind::Key => Some(("CoordinatorKey", "RECORD_TYPE")),
        Kind::Metadata => Some(("Metadata", "API_KEY")),
        _ => None,
    };
    if let (Some((of, number)), Some(key)) = (numbered, message.key) {
        out.line("");
        out.open(&format!("impl {of} for {name} {{"));
        out.line(&format!("const {number}: i16 = {key};"));
        out.close("}");
    }
}
