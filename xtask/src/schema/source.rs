//! Kafka's message definition as it is in JSON, with version ranges resolved. Refuses what the
//! notation cannot say. Called by the importer only.

use serde_json::{Map, Value};

/// Inclusive; `None` stands for "none".
pub type Versions = Option<(i16, i16)>;

/// The upper end of an open range such as `3+`.
pub const OPEN: i16 = i16::MAX;

#[derive(Debug)]
pub struct Message {
    pub kind: String,
    pub name: String,
    pub key: Option<i16>,
    pub valid: Versions,
    pub flexible: Versions,
    pub listeners: Vec<String>,
    pub fields: Vec<Field>,
    pub structs: Vec<(String, Vec<Field>)>,
}

#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub ty: String,
    pub versions: Versions,
    pub nullable: Versions,
    pub tag: Option<(u32, Versions)>,
    pub default: Option<String>,
    pub ignorable: bool,
    /// Encoded the old way even in flexible versions.
    pub inflexible: bool,
    pub fields: Vec<Field>,
}

pub fn parse(text: &str) -> Result<Message, String> {
    let json: Value = serde_json::from_str(&without_comments(text)).map_err(|e| e.to_string())?;
    let top = json.as_object().ok_or("not an object")?;
    let structs = list(top, "commonStructs")?
        .iter()
        .map(|s| Ok((string(s, "name")?, fields(s)?)))
        .collect::<Result<_, String>>()?;
    let listeners = top
        .get("listeners")
        .and_then(Value::as_array)
        .map(|l| l.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    Ok(Message {
        kind: string(top, "type")?,
        name: string(top, "name")?,
        key: top.get("apiKey").and_then(Value::as_i64).map(|k| k as i16),
        valid: versions(top, "validVersions")?,
        flexible: versions(top, "flexibleVersions")?,
        listeners,
        fields: fields(top)?,
        structs,
    })
}

/// Kafka's files hold lines that begin with `//`, and remarks after a value.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut in_string = false;
        let mut previous = ' ';
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            match c {
                '"' if previous != '\\' => in_string = !in_string,
                '/' if previous == '/' && !in_string => {
                    end = at - 1;
                    break;
                }
                _ => {}
            }
            previous = c;
        }
        out.push_str(&line[..end]);
        out.push('\n');
    }
    out
}

fn fields(of: &Map<String, Value>) -> Result<Vec<Field>, String> {
    list(of, "fields")?.into_iter().map(field).collect()
}

fn field(json: &Map<String, Value>) -> Result<Field, String> {
    let name = string(json, "name")?;
    let tagged = versions(json, "taggedVersions")?;
    let tag = json.get("tag").and_then(Value::as_u64).map(|tag| (tag as u32, tagged));
    let present = if json.contains_key("versions") { versions(json, "versions")? } else { tagged };
    let inflexible = match json.get("flexibleVersions").and_then(Value::as_str) {
        None => false,
        Some("none") => true,
        Some(other) => return Err(format!("{name}: flexibleVersions {other} is not understood")),
    };
    Ok(Field {
        ty: string(json, "type")?,
        versions: present,
        nullable: versions(json, "nullableVersions")?,
        tag,
        default: json.get("default").filter(|d| !d.is_null()).map(|d| match d {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        ignorable: json.get("ignorable").and_then(Value::as_bool).unwrap_or(false),
        inflexible,
        fields: fields(json)?,
        name,
    })
}

fn list<'a>(of: &'a Map<String, Value>, key: &str) -> Result<Vec<&'a Map<String, Value>>, String> {
    match of.get(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|i| i.as_object().ok_or_else(|| format!("{key}: not a list of objects")))
            .collect(),
        Some(_) => Err(format!("{key}: not a list")),
    }
}

fn string(of: &Map<String, Value>, key: &str) -> Result<String, String> {
    of.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("no {key}"))
}

fn versions(of: &Map<String, Value>, key: &str) -> Result<Versions, String> {
    let Some(text) = of.get(key).and_then(Value::as_str) else { return Ok(None) };
    if text == "none" {
        return Ok(None);
    }
    let bad = || format!("{key}: {text} is not a range of versions");
    let number = |t: &str| t.parse::<i16>().map_err(|_| bad());
    Ok(Some(if let Some(low) = text.strip_suffix('+') {
        (number(low)?, OPEN)
    } else if let Some((low, high)) = text.split_once('-') {
        (number(low)?, number(high)?)
    } else {
        (number(text)?, number(text)?)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let text = "// head\n{ \"a\": \"b//c\", // tail\n \"d\": 1 }";
        let value: Value = serde_json::from_str(&without_comments(text)).unwrap();
        assert_eq!(value["a"], "b//c");
        assert_eq!(value["d"], 1);
    }
}
