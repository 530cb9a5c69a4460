//! What is generated over all messages: the module tree, the table of APIs, the enum of metadata
//! records, the table of every message for tests.

use std::collections::BTreeMap;

use crate::names;
use crate::notation::{Kind, Message};
use crate::out::Out;

pub fn modules(messages: &[&Message]) -> String {
    let mut out = Out::default();
    for message in messages {
        let module = names::snake(&message.name);
        out.open(&format!("pub mod {module} {{"));
        out.line(&format!("//! {}.", described(message)));
        out.line(&format!("include!(concat!(env!(\"OUT_DIR\"), \"/messages/{module}.rs\"));"));
        out.close("}");
    }
    out.line("");
    for message in messages {
        out.line(&format!("pub use {}::{};", names::snake(&message.name), message.name));
    }
    out.finish()
}

fn described(message: &Message) -> String {
    let kind = match message.kind {
        Kind::Request => "request",
        Kind::Response => "response",
        Kind::Key => "coordinator record key",
        Kind::Value => "coordinator record value",
        Kind::Metadata => "metadata record",
        Kind::Remote => "remote storage record",
        Kind::Data => "message",
        Kind::Header => "header",
    };
    let number = message.key.map(|k| format!(", key {k}")).unwrap_or_default();
    format!("`{}`: {kind}{number}", message.name)
}

pub fn api_keys(messages: &[Message]) -> Result<String, String> {
    let mut by_key = BTreeMap::new();
    for message in messages.iter().filter(|m| m.kind == Kind::Request) {
        let key = message.key.ok_or_else(|| format!("{} has no key", message.name))?;
        if by_key.insert(key, message).is_some() {
            return Err(format!("key {key} is used twice"));
        }
    }
    if by_key.keys().copied().ne(0..by_key.len() as i16) {
        return Err("keys are not dense: the table is indexed by key".into());
    }
    let api = |m: &Message| m.name.strip_suffix("Request").unwrap_or(&m.name).to_owned();
    let mut out = Out::default();
    out.open("impl ApiKey {");
    for (key, message) in &by_key {
        let name = names::constant(&api(message));
        out.line(&format!("pub const {name}: ApiKey = ApiKey({key});"));
    }
    out.close("}");
    out.line("");
    out.open(&format!("static TABLE: [ApiInfo; {}] = [", by_key.len()));
    for (key, message) in &by_key {
        let valid = message.valid.map(|v| format!("{}..={}", v.first, v.last));
        let flexible = match message.flexible {
            Some(from) => format!("Some({})", from.first),
            None => "None".into(),
        };
        let listeners: Vec<String> = message.listeners.iter().map(|l| format!("{l:?}")).collect();
        out.open("ApiInfo {");
        out.line(&format!("key: ApiKey({key}),"));
        out.line(&format!("name: {:?},", api(message)));
        out.line(&format!("valid: {},", valid.unwrap_or_else(|| "REMOVED".into())));
        out.line(&format!("flexible_from: {flexible},"));
        out.line(&format!("listeners: &[{}],", listeners.join(", ")));
        out.close("},");
    }
    out.close("];");
    Ok(out.finish())
}

pub fn metadata_record(messages: &[&Message]) -> Result<String, String> {
    let mut records: Vec<(i16, &str)> = messages
        .iter()
        .filter(|m| m.kind == Kind::Metadata)
        .map(|m| Ok((m.key.ok_or_else(|| format!("{} has no key", m.name))?, m.name.as_str())))
        .collect::<Result<_, String>>()?;
    records.sort_unstable();
    let variant = |name: &str| name.strip_suffix("Record").unwrap_or(name).to_owned();
    let mut out = Out::default();
    out.line("/// One record of the metadata log.");
    out.line("#[derive(Debug, Clone, PartialEq)]");
    out.open("pub enum MetadataRecord {");
    for (_, name) in &records {
        out.line(&format!("{}({name}),", variant(name)));
    }
    out.close("}");
    out.line("");
    out.open("impl MetadataRecord {");
    arms(
        &mut out,
        "/// The record's number in the frame.",
        "api_key(&self) -> i16",
        &records,
        |_, name| (format!("Self::{}(_)", variant(name)), format!("{name}::API_KEY")),
    );
    arms(
        &mut out,
        "/// Kafka's name of the record.",
        "name(&self) -> &'static str",
        &records,
        |_, name| (format!("Self::{}(_)", variant(name)), format!("{name}::NAME")),
    );
    arms(
        &mut out,
        "/// The newest version of the record.",
        "version_max(&self) -> i16",
        &records,
        |_, name| (format!("Self::{}(_)", variant(name)), format!("*{name}::VALID.end()")),
    );
    out.open("fn encode_body(&self, w: &mut Writer, version: i16) -> Result<(), EncodeError> {");
    out.open("match self {");
    for (_, name) in &records {
        out.line(&format!("Self::{}(it) => it.encode(w, version),", variant(name)));
    }
    out.close("}");
    out.close("}");
    out.line("");
    out.open(
        "fn decode_body(r: &mut Reader, api_key: u32, version: i16) -> Result<Self, DecodeError> {",
    );
    out.open("Ok(match api_key {");
    for (key, name) in &records {
        out.line(&format!("{key} => Self::{}({name}::decode(r, version)?),", variant(name)));
    }
    out.line("_ => return Err(r.unknown_record(api_key)),");
    out.close("})");
    out.close("}");
    out.close("}");
    for (_, name) in &records {
        out.line("");
        out.open(&format!("impl From<{name}> for MetadataRecord {{"));
        out.open(&format!("fn from(it: {name}) -> Self {{"));
        out.line(&format!("Self::{}(it)", variant(name)));
        out.close("}");
        out.close("}");
    }
    Ok(out.finish())
}

/// A public function that is one match over the records.
fn arms(
    out: &mut Out,
    doc: &str,
    signature: &str,
    records: &[(i16, &str)],
    arm: impl Fn(i16, &str) -> (String, String),
) {
    out.line(doc);
    out.open(&format!("pub fn {signature} {{"));
    out.open("match self {");
    for (key, name) in records {
        let (pattern, value) = arm(*key, name);
        out.line(&format!("{pattern} => {value},"));
    }
    out.close("}");
    out.close("}");
    out.line("");
}

pub fn every_message(messages: &[&Message]) -> String {
    let mut out = Out::default();
    out.open(&format!("static EVERY: [Entry; {}] = [", messages.len()));
    for message in messages {
        let key = message.key.map_or("None".to_owned(), |k| format!("Some({k})"));
        out.line(&format!("entry::<{}>(Kind::{:?}, {key}),", message.name, message.kind));
    }
    out.close("];");
    out.finish()
}
