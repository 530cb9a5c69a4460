//! `partition.metadata`: which topic a partition folder belongs to.

use highwater_types::TopicId;

pub(super) fn to_text(topic_id: TopicId) -> String {
    format!("version: 0\ntopic_id: {topic_id}")
}

/// None if the text is damaged: a power loss may have emptied a file not yet flushed.
pub(super) fn parse(text: &str) -> Option<TopicId> {
    let mut lines = text.lines();
    if lines.next()? != "version: 0" {
        return None;
    }
    lines.next()?.strip_prefix("topic_id: ")?.parse().ok().map(TopicId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form() {
        let text = "version: 0\ntopic_id: zB1o5SzPQ0yPvTcn7nBxJw";
        assert_eq!(to_text(parse(text).unwrap()), text);
        assert_eq!(text.len(), 43);
        for bad in ["", "version: 1\ntopic_id: zB1o5SzPQ0yPvTcn7nBxJw", "version: 0\n", "\0\0"] {
            assert_eq!(parse(bad), None);
        }
    }
}
