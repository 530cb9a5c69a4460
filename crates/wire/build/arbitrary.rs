//! Code that makes a value a version can carry, for tests (feature `test-support`).

use crate::layout::Place;
use crate::notation::{Message, Struct, Type};
use crate::out::Out;
use crate::versions::Condition;

pub fn implementation(
    out: &mut Out,
    message: &Message,
    of: &Struct,
    places: &[Place<'_>],
) -> Result<(), String> {
    out.line("#[cfg(feature = \"test-support\")]");
    out.open(&format!("impl Arbitrary for {} {{", of.name));
    out.open("fn arbitrary(g: &mut Gen, version: i16) -> Self {");
    out.line("let mut it = Self::default();");
    for place in places {
        let assign = format!("it.{} = {};", place.name(), value(place));
        match place.present() {
            Condition::Always => out.line(&assign),
            Condition::Never => {}
            Condition::If(test) => {
                out.open(&format!("if {test} {{"));
                out.line(&assign);
                out.close("}");
            }
        }
    }
    let unknown = "it.unknown_tagged_fields = g.unknown_tags();";
    match Condition::of(message.flexible, of.reach) {
        Condition::Never => {}
        Condition::Always => out.line(unknown),
        Condition::If(test) => {
            out.open(&format!("if {test} {{"));
            out.line(unknown);
            out.close("}");
        }
    }
    out.line("it");
    out.close("}");
    out.close("}");
    Ok(())
}

fn value(place: &Place<'_>) -> String {
    let plain = match &place.field.ty {
        Type::Number(name) => format!("g.{name}()"),
        Type::Bool => "g.bool()".into(),
        Type::Uuid => "g.uuid()".into(),
        Type::String => "g.string()".into(),
        Type::Bytes => "g.bytes()".into(),
        Type::Records => "g.records()".into(),
        Type::Struct(name) => format!("{name}::arbitrary(g, version)"),
        Type::Array(of) => match &**of {
            Type::Number(name) => format!("g.array(|g| g.{name}())"),
            Type::Bool => "g.array(|g| g.bool())".into(),
            Type::Uuid => "g.array(|g| g.uuid())".into(),
            Type::String => "g.array(|g| g.string())".into(),
            Type::Bytes => "g.array(|g| g.bytes())".into(),
            other => {
                format!("g.array(|g| {}::arbitrary(g, version))", crate::layout::rust_type(other))
            }
        },
    };
    if !place.optional() {
        return plain;
    }
    format!("g.optional({}, |g| {plain})", place.nullable().expression())
}
