//! Rules for documents: links lead somewhere, and the two READMEs tell the same.

use std::path::Path;

pub fn check_links(root: &Path, path: &str, text: &str, faults: &mut Vec<String>) {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    for target in links(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let wanted = if file.is_empty() { root.join(path) } else { root.join(folder).join(file) };
        if !wanted.exists() {
            faults.push(format!("{path}: the link to {target} leads nowhere"));
            continue;
        }
        if anchor.is_empty() || wanted.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let linked = std::fs::read_to_string(&wanted).unwrap_or_default();
        if !headings(&linked).any(|(_, title)| slug(title) == anchor.to_lowercase()) {
            faults.push(format!("{path}: no heading #{anchor} in {}", wanted.display()));
        }
    }
}

/// README.md and README.zh.md: headings of the same levels in order, the same commands.
pub fn check_twins(root: &Path, faults: &mut Vec<String>) {
    let (english, chinese) = ("README.md", "README.zh.md");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let (a, b) = (read(english), read(chinese));
    if a.is_empty() && b.is_empty() {
        return;
    }
    let levels = |text: &str| headings(text).map(|(level, _)| level).collect::<Vec<_>>();
    if levels(&a) != levels(&b) {
        faults.push(format!("{english} and {chinese} have different headings"));
    }
    let missing = |from: &str, to: &str| {
        let known = commands(to);
        commands(from).into_iter().find(|command| !known.contains(command))
    };
    if let Some(command) = missing(&a, &b) {
        faults.push(format!("{chinese} lacks the command `{command}`"));
    }
    if let Some(command) = missing(&b, &a) {
        faults.push(format!("{english} lacks the command `{command}`"));
    }
}

/// The targets of `[text](target)` outside code.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let Some(end) = rest.find(')') else { break };
            found.push(rest[..end].split(' ').next().unwrap_or_default());
            rest = &rest[end..];
        }
    }
    found
}

fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).filter(|line| line.starts_with('#')).map(|line| {
        let level = line.chars().take_while(|c| *c == '#').count();
        (level, line[level..].trim())
    })
}

/// The lines of fenced code, without comments.
fn commands(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            let command = line.split(" #").next().unwrap_or_default().trim();
            if !command.is_empty() && !command.starts_with('#') && command.is_ascii() {
                found.push(command.to_owned());
            }
        }
    }
    found
}

/// What GitHub makes of a heading.
fn slug(title: &str) -> String {
    let kept = title.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# One\n[a](b.md) and [c](d.md#e)\n```sh\n# not a heading\ncargo run  # start [x](y)\n```\n## `Two` words\n";

    #[test]
    fn reads_links_headings_and_commands_apart() {
        assert_eq!(links(PAGE), vec!["b.md", "d.md#e"]);
        assert_eq!(headings(PAGE).collect::<Vec<_>>(), vec![(1, "One"), (2, "`Two` words")]);
        assert_eq!(commands(PAGE), vec!["cargo run"]);
        assert_eq!(slug("`Two` words"), "two-words");
    }
}
