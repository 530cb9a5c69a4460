//! The decoding half of a structure.

use crate::layout::{Place, item_bytes_min};
use crate::notation::{Message, Struct, Type};
use crate::out::Out;
use crate::versions::Condition;

pub fn function(
    out: &mut Out,
    message: &Message,
    of: &Struct,
    places: &[Place<'_>],
) -> Result<(), String> {
    out.open("pub(crate) fn read(r: &mut Reader, version: i16) -> Result<Self, DecodeError> {");
    out.line("let mut it = Self::default();");
    for place in places {
        untagged(out, place)?;
    }
    let flexible = Condition::of(message.flexible, of.reach);
    match &flexible {
        Condition::Never => {}
        Condition::Always => tags(out, places)?,
        Condition::If(test) => {
            out.open(&format!("if {test} {{"));
            tags(out, places)?;
            out.close("}");
        }
    }
    out.line("Ok(it)");
    out.close("}");
    Ok(())
}

fn untagged(out: &mut Out, place: &Place<'_>) -> Result<(), String> {
    // A field that became tagged in some version would need both forms; none has so far.
    match place.tagged() {
        Some((_, Condition::Never)) | None => {}
        Some((_, tagged)) if tagged == place.present() => return Ok(()),
        Some(_) => return Err(format!("{} is tagged in some versions only", place.field.name)),
    }
    let value = value(place, false)?;
    let assign = format!("it.{} = {value};", place.name());
    match place.present() {
        Condition::Always => out.line(&assign),
        Condition::Never => {}
        Condition::If(test) => {
            out.open(&format!("if {test} {{"));
            out.line(&assign);
            out.close("}");
        }
    }
    Ok(())
}

fn tags(out: &mut Out, places: &[Place<'_>]) -> Result<(), String> {
    let tagged: Vec<_> = places
        .iter()
        .filter_map(|place| place.tagged_if_flexible().map(|(tag, when)| (place, tag, when)))
        .filter(|(.., when)| *when != Condition::Never)
        .collect();
    if tagged.is_empty() {
        out.line("it.unknown_tagged_fields = r.unknown_tags()?;");
        return Ok(());
    }
    out.line("let mut tags = r.begin_tags()?;");
    out.open("while let Some(tag) = r.next_tag(&mut tags)? {");
    out.open("match tag {");
    for (place, tag, when) in tagged {
        let guard = match when {
            Condition::If(test) => format!(" if {test}"),
            _ => String::new(),
        };
        out.line(&format!("{tag}{guard} => it.{} = {},", place.name(), value(place, true)?));
    }
    out.line("_ => it.unknown_tagged_fields.push(tag, r.rest()),");
    out.close("}");
    out.line("r.end_tag(&tags)?;");
    out.close("}");
    Ok(())
}

/// The expression that reads a field known to be present.
fn value(place: &Place<'_>, tagged: bool) -> Result<String, String> {
    let plain = required(place)?;
    if !place.optional() {
        return Ok(plain);
    }
    let null = nullable(place, tagged)?;
    Ok(match place.nullable() {
        Condition::Always => null,
        Condition::Never => format!("Some({plain})"),
        Condition::If(test) => format!("if {test} {{ {null} }} else {{ Some({plain}) }}"),
    })
}

fn required(place: &Place<'_>) -> Result<String, String> {
    let flexible = place.flexible();
    Ok(match &place.field.ty {
        Type::Number(name) => format!("r.{name}()?"),
        Type::Bool => "r.bool()?".into(),
        Type::Uuid => "r.uuid()?".into(),
        Type::String => format!("r.string({flexible})?"),
        Type::Bytes => format!("r.bytes({flexible})?"),
        Type::Records => format!("r.records({flexible})?"),
        Type::Struct(name) => format!("{name}::read(r, version)?"),
        Type::Array(of) => {
            let min = item_bytes_min(place, of);
            format!("r.array({flexible}, {min}, version, {})?", item(place, of)?)
        }
    })
}

fn nullable(place: &Place<'_>, tagged: bool) -> Result<String, String> {
    let flexible = place.flexible();
    Ok(match &place.field.ty {
        Type::String => format!("r.nullable_string({flexible})?"),
        Type::Bytes => format!("r.nullable_bytes({flexible})?"),
        Type::Records => format!("r.nullable_records({flexible})?"),
        Type::Struct(name) if tagged => format!("r.nullable_tagged(version, {name}::read)?"),
        Type::Struct(name) => format!("r.nullable(version, {name}::read)?"),
        Type::Array(of) => {
            let min = item_bytes_min(place, of);
            format!("r.nullable_array({flexible}, {min}, version, {})?", item(place, of)?)
        }
        other => return Err(format!("{}: {other:?} cannot be null", place.field.name)),
    })
}

/// The function that reads one item of an array.
fn item(place: &Place<'_>, ty: &Type) -> Result<String, String> {
    let flexible = place.flexible();
    let version = if flexible.contains("version") { "version" } else { "_" };
    Ok(match ty {
        Type::Number(name) => format!("|r, _| r.{name}()"),
        Type::Bool => "|r, _| r.bool()".into(),
        Type::Uuid => "|r, _| r.uuid()".into(),
        Type::String => format!("|r, {version}| r.string({flexible})"),
        Type::Bytes => format!("|r, {version}| r.bytes({flexible})"),
        Type::Struct(name) => format!("{name}::read"),
        other => return Err(format!("{}: array of {other:?}", place.field.name)),
    })
}
