//! The schema notation and its parser.
//!
//! A file holds messages, one paragraph each:
//!
//! ```text
//! request ProduceRequest key 0 versions 3-13 flexible 9+ on broker
//!   TransactionalId string? = null
//!   TopicData []TopicProduceData
//!     Name string 3-12 ignorable
//!     TopicId uuid 13+ ignorable
//!   struct Shared
//!     Id int32
//! ```
//!
//! Head: kind (`request response key value metadata remote data header`), name, `key N`,
//! `versions`, `flexible`, `on` listeners; or `removed` for an API that has only its key left.
//! Field: name, type, then in this order `?` (may be null; `?5+`: from version 5), the versions
//! it exists in where not all, `tag N` with versions where not all of the field's,
//! `= default`, `ignorable` (may be left out by a version that lacks it), `inflexible` (encoded
//! the old way always). Two more spaces: the fields of the structure named by the type. `struct`:
//! one that several fields share. Versions are `3`, `3-5` or `3+`.
//!
//! Refuses anything else, with file and line.

use std::collections::BTreeMap;

use crate::versions::Versions;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
    Key,
    Value,
    Metadata,
    Remote,
    Data,
    Header,
}

#[derive(Debug)]
pub struct Message {
    pub kind: Kind,
    pub name: String,
    pub key: Option<i16>,
    /// `None`: removed.
    pub valid: Option<Versions>,
    pub flexible: Option<Versions>,
    pub listeners: Vec<String>,
    /// The message itself comes first.
    pub structs: Vec<Struct>,
}

#[derive(Debug)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<Field>,
    /// Versions in which a message can hold this structure.
    pub reach: Versions,
}

#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    pub versions: Versions,
    pub nullable: Option<Versions>,
    pub tag: Option<(u32, Versions)>,
    pub default: Option<String>,
    pub ignorable: bool,
    pub inflexible: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    Number(&'static str),
    Bool,
    String,
    Bytes,
    Records,
    Uuid,
    Struct(String),
    Array(Box<Type>),
}

pub fn parse(text: &str) -> Result<Vec<Message>, String> {
    let mut messages = Vec::new();
    let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()).peekable();
    while let Some((number, head)) = lines.next() {
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|(_, l)| l.starts_with(' ')) {
            body.push(line);
        }
        let at = |e: String| format!("line {}: {e}", number + 1);
        let mut message = parse_head(head).map_err(at)?;
        if let Some(valid) = message.valid {
            message.structs = parse_body(&message.name, &body, valid)?;
            reach(&mut message.structs, valid).map_err(at)?;
        }
        messages.push(message);
    }
    Ok(messages)
}

fn parse_head(line: &str) -> Result<Message, String> {
    let mut words = line.split(' ');
    let kind = match words.next() {
        Some("request") => Kind::Request,
        Some("response") => Kind::Response,
        Some("key") => Kind::Key,
        Some("value") => Kind::Value,
        Some("metadata") => Kind::Metadata,
        Some("remote") => Kind::Remote,
        Some("data") => Kind::Data,
        Some("header") => Kind::Header,
        _ => return Err(format!("unknown kind: {line}")),
    };
    let name = words.next().ok_or("a message needs a name")?.to_owned();
    let mut message = Message {
        kind,
        name,
        key: None,
        valid: None,
        flexible: None,
        listeners: Vec::new(),
        structs: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut argument = || words.next().ok_or_else(|| format!("{word} needs an argument"));
        match word {
            "key" => message.key = Some(argument()?.parse().map_err(|_| "bad key")?),
            "versions" => message.valid = Some(Versions::parse(argument()?)?),
            "flexible" => message.flexible = Some(Versions::parse(argument()?)?),
            "on" => message.listeners.extend(words.by_ref().map(str::to_owned)),
            "removed" => {}
            other => return Err(format!("unexpected {other}")),
        }
    }
    Ok(message)
}

/// Fields by their indentation; structures are collected flat, the message's own first.
fn parse_body(name: &str, body: &[(usize, &str)], valid: Versions) -> Result<Vec<Struct>, String> {
    let empty = |name: &str| Struct { name: name.to_owned(), fields: Vec::new(), reach: valid };
    let mut structs = vec![empty(name)];
    // open[d] is the structure that lines of depth d + 1 belong to.
    let mut open = vec![0];
    for (number, line) in body {
        let at = |e: String| format!("line {}: {e}", number + 1);
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / 2;
        if depth == 0 || depth > open.len() {
            return Err(at("indented too far".into()));
        }
        open.truncate(depth);
        if let Some(name) = text.strip_prefix("struct ") {
            structs.push(empty(name));
            open.push(structs.len() - 1);
            continue;
        }
        let field = parse_field(text, valid).map_err(at)?;
        let deeper = body.iter().find(|(n, _)| *n == number + 1);
        if deeper.is_some_and(|(_, l)| l.starts_with(&" ".repeat(depth * 2 + 2))) {
            structs
                .push(empty(field.ty.struct_name().ok_or_else(|| at("not a structure".into()))?));
        }
        let holder = open[depth - 1];
        structs[holder].fields.push(field);
        open.push(structs.len() - 1);
    }
    Ok(structs)
}

fn parse_field(text: &str, valid: Versions) -> Result<Field, String> {
    let mut words = text.split(' ').peekable();
    let name = words.next().ok_or("a field needs a name")?.to_owned();
    let ty = words.next().ok_or("a field needs a type")?;
    let (ty, null) = match ty.split_once('?') {
        None => (ty, None),
        Some((ty, null)) => (ty, Some(null)),
    };
    let mut range_next = |or: Versions| match words
        .next_if(|w| w.starts_with(|c: char| c.is_ascii_digit()))
    {
        Some(range) => Versions::parse(range)?.and(valid).ok_or_else(|| format!("{range}: never")),
        None => Ok(or),
    };
    let versions = range_next(valid)?;
    let nullable = match null {
        None => None,
        Some("") => Some(versions),
        Some(null) => Versions::parse(null)?.and(versions),
    };
    let mut field = Field {
        name,
        ty: Type::parse(ty),
        versions,
        nullable,
        tag: None,
        default: None,
        ignorable: false,
        inflexible: false,
    };
    while let Some(word) = words.next() {
        match word {
            "tag" => {
                let tag = words.next().and_then(|w| w.parse().ok()).ok_or("tag needs a number")?;
                let in_versions = words.next_if(|w| w.starts_with(|c: char| c.is_ascii_digit()));
                let tagged = match in_versions {
                    Some(range) => Versions::parse(range)?.and(versions).ok_or("tagged never")?,
                    None => versions,
                };
                field.tag = Some((tag, tagged));
            }
            "=" => field.default = Some(words.next().ok_or("= needs a value")?.to_owned()),
            "ignorable" => field.ignorable = true,
            "inflexible" => field.inflexible = true,
            other => return Err(format!("unexpected {other}")),
        }
    }
    Ok(field)
}

impl Type {
    fn parse(text: &str) -> Type {
        match text {
            "bool" => Type::Bool,
            "int8" => Type::Number("i8"),
            "int16" => Type::Number("i16"),
            "uint16" => Type::Number("u16"),
            "int32" => Type::Number("i32"),
            "uint32" => Type::Number("u32"),
            "int64" => Type::Number("i64"),
            "float64" => Type::Number("f64"),
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "records" => Type::Records,
            "uuid" => Type::Uuid,
            other => match other.strip_prefix("[]") {
                Some(item) => Type::Array(Box::new(Type::parse(item))),
                None => Type::Struct(other.to_owned()),
            },
        }
    }

    pub fn struct_name(&self) -> Option<&str> {
        match self {
            Type::Struct(name) => Some(name),
            Type::Array(item) => item.struct_name(),
            _ => None,
        }
    }
}

/// Narrows [`Struct::reach`] to the versions that some field leads there in. Refuses unknown,
/// repeated and recursive structures: decoding must not be able to run out of stack.
fn reach(structs: &mut [Struct], valid: Versions) -> Result<(), String> {
    let mut by_name = BTreeMap::new();
    for (index, s) in structs.iter().enumerate() {
        if by_name.insert(s.name.clone(), index).is_some() {
            return Err(format!("structure {} is defined twice", s.name));
        }
    }
    let mut found: Vec<Option<Versions>> = vec![None; structs.len()];
    let mut walk = vec![(0, valid, Vec::new())];
    while let Some((index, versions, path)) = walk.pop() {
        if path.contains(&index) {
            return Err(format!("structure {} holds itself", structs[index].name));
        }
        found[index] = Some(found[index].map_or(versions, |v| v.hull(versions)));
        for field in &structs[index].fields {
            let Some(name) = field.ty.struct_name() else { continue };
            let inner = *by_name.get(name).ok_or_else(|| format!("no structure {name}"))?;
            if let Some(versions) = field.versions.and(versions) {
                walk.push((inner, versions, [path.clone(), vec![index]].concat()));
            }
        }
    }
    for (s, versions) in structs.iter_mut().zip(found) {
        s.reach = versions.ok_or_else(|| format!("structure {} is not used", s.name))?;
    }
    Ok(())
}
