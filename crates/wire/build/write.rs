//! The encoding half of a structure.

use crate::layout::Place;
use crate::notation::{Message, Struct, Type};
use crate::out::Out;
use crate::versions::Condition;

pub fn function(
    out: &mut Out,
    message: &Message,
    of: &Struct,
    places: &[Place<'_>],
) -> Result<(), String> {
    out.open(
        "pub(crate) fn write(&self, w: &mut Writer, version: i16) -> Result<(), EncodeError> {",
    );
    for place in places {
        untagged(out, place)?;
    }
    match &Condition::of(message.flexible, of.reach) {
        Condition::Never => out.line("self.unknown_tagged_fields.check_absent(version)"),
        Condition::Always => tags(out, places)?,
        Condition::If(test) => {
            out.open(&format!("if {test} {{"));
            tags(out, places)?;
            out.turn("} else {");
            out.line("self.unknown_tagged_fields.check_absent(version)");
            out.close("}");
        }
    }
    out.close("}");
    Ok(())
}

/// Writes the field, or refuses to lose it silently in a version that lacks it.
fn untagged(out: &mut Out, place: &Place<'_>) -> Result<(), String> {
    let tagged = !matches!(place.tagged(), None | Some((_, Condition::Never)));
    let write = if tagged { None } else { Some(value(place, false)?) };
    let refuse = format!("return Err(EncodeError::lacks({:?}, version));", place.name());
    let differs = place.differs();
    match (place.present(), write) {
        (Condition::Always, Some(write)) => out.line(&write),
        (Condition::Always, None) | (Condition::Never, _) => {}
        (Condition::If(test), Some(write)) => {
            out.open(&format!("if {test} {{"));
            out.line(&write);
            if !place.field.ignorable {
                out.turn(&format!("}} else if {differs} {{"));
                out.line(&refuse);
            }
            out.close("}");
        }
        (Condition::If(_), None) if place.field.ignorable => {}
        (Condition::If(test), None) => {
            out.open(&format!("if {} && {differs} {{", negated(&test)));
            out.line(&refuse);
            out.close("}");
        }
    }
    Ok(())
}

fn negated(test: &str) -> String {
    if let Some(first) = test.strip_prefix("version >= ") {
        format!("version < {first}")
    } else if let Some(last) = test.strip_prefix("version <= ") {
        format!("version > {last}")
    } else if let Some(only) = test.strip_prefix("version == ") {
        format!("version != {only}")
    } else {
        format!("!{test}")
    }
}

fn tags(out: &mut Out, places: &[Place<'_>]) -> Result<(), String> {
    let mut tagged = Vec::new();
    for place in places {
        match place.tagged_if_flexible() {
            Some((_, Condition::Never)) | None => {}
            Some((tag, Condition::Always)) => tagged.push((tag, place, place.differs())),
            Some((tag, Condition::If(test))) => {
                let differs = format!("{test} && {}", place.differs());
                tagged.push((tag, place, differs));
            }
        }
    }
    tagged.sort_by_key(|(tag, ..)| *tag);
    if tagged.is_empty() {
        out.line("w.only_unknown_tags(&self.unknown_tagged_fields)");
        return Ok(());
    }
    for (tag, _, differs) in &tagged {
        out.line(&format!("let has_{tag} = {differs};"));
    }
    let count: Vec<String> = tagged.iter().map(|(t, ..)| format!("usize::from(has_{t})")).collect();
    out.line(&format!("let known = {};", count.join(" + ")));
    out.line("let mut tags = w.begin_tags(known, &self.unknown_tagged_fields)?;");
    for (tag, place, _) in &tagged {
        out.open(&format!("if has_{tag} {{"));
        out.line(&format!("w.begin_tag(&mut tags, {tag})?;"));
        out.line(&value(place, true)?);
        out.line("w.end_tag(&tags)?;");
        out.close("}");
    }
    out.line("w.end_tags(tags)");
    Ok(())
}

/// The statement that writes a field known to be present.
fn value(place: &Place<'_>, tagged: bool) -> Result<String, String> {
    let name = place.name();
    if !place.optional() {
        return Ok(required(place, &format!("self.{name}"))? + ";");
    }
    let null = nullable(place, tagged)?;
    let plain = required(place, &format!("required(&self.{name}, {name:?}, version)?"))?;
    Ok(match place.nullable() {
        Condition::Always => null + ";",
        Condition::Never => plain + ";",
        Condition::If(test) => format!("if {test} {{ {null} }} else {{ {plain} }}"),
    })
}

/// `from` is the place of a value, or (through `required`) a reference to it.
fn required(place: &Place<'_>, from: &str) -> Result<String, String> {
    let flexible = place.flexible();
    let reference = if from.starts_with("required") { from.to_owned() } else { format!("&{from}") };
    Ok(match &place.field.ty {
        Type::Number(name) => format!("w.{name}({from})"),
        Type::Bool => format!("w.bool({from})"),
        Type::Uuid => format!("w.uuid({from})"),
        Type::String => format!("w.string({flexible}, {reference})?"),
        Type::Bytes => format!("w.bytes({flexible}, {reference})?"),
        Type::Records => format!("w.records({flexible}, {reference})?"),
        Type::Struct(_) if from.starts_with("required") => format!("{from}.write(w, version)?"),
        Type::Struct(_) => format!("{from}.write(w, version)?"),
        Type::Array(of) => {
            format!("w.array({flexible}, version, {reference}, {})?", item(place, of)?)
        }
    })
}

fn nullable(place: &Place<'_>, tagged: bool) -> Result<String, String> {
    let name = place.name();
    let flexible = place.flexible();
    Ok(match &place.field.ty {
        Type::String => format!("w.nullable_string({flexible}, &self.{name})?"),
        Type::Bytes => format!("w.nullable_bytes({flexible}, &self.{name})?"),
        Type::Records => format!("w.nullable_records({flexible}, &self.{name})?"),
        Type::Struct(of) if tagged => {
            format!("w.nullable_tagged(version, &self.{name}, {of}::write)?")
        }
        Type::Struct(of) => format!("w.nullable(version, &self.{name}, {of}::write)?"),
        Type::Array(of) => {
            format!("w.nullable_array({flexible}, version, &self.{name}, {})?", item(place, of)?)
        }
        other => return Err(format!("{}: {other:?} cannot be null", place.field.name)),
    })
}

/// The function that writes one item of an array.
fn item(place: &Place<'_>, ty: &Type) -> Result<String, String> {
    let flexible = place.flexible();
    let version = if flexible.contains("version") { "version" } else { "_" };
    Ok(match ty {
        Type::Number(name) => format!("|x, w, _| {{ w.{name}(*x); Ok(()) }}"),
        Type::Bool => "|x, w, _| { w.bool(*x); Ok(()) }".into(),
        Type::Uuid => "|x, w, _| { w.uuid(*x); Ok(()) }".into(),
        Type::String => format!("|x, w, {version}| w.string({flexible}, x)"),
        Type::Bytes => format!("|x, w, {version}| w.bytes({flexible}, x)"),
        Type::Struct(name) => format!("{name}::write"),
        other => return Err(format!("{}: array of {other:?}", place.field.name)),
    })
}
