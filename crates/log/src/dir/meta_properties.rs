//! `meta.properties`: which cluster, node and directory a data directory belongs to.

use highwater_types::{BrokerId, Uuid};

pub(super) const FILE_NAME: &str = "meta.properties";

/// Contents of `meta.properties`, version 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaProperties {
    pub cluster_id: String,
    pub node_id: BrokerId,
    pub directory_id: Uuid,
}

impl MetaProperties {
    /// `comment` becomes the second comment line; Kafka writes the date there.
    pub(super) fn to_text(&self, comment: &str) -> String {
        let MetaProperties { cluster_id, node_id, directory_id } = self;
        format!(
            "#\n#{comment}\ncluster.id={cluster_id}\ndirectory.id={directory_id}\n\
             node.id={node_id}\nversion=1\n"
        )
    }

    pub(super) fn parse(text: &str) -> Result<MetaProperties, String> {
        let field = |name: &str| {
            text.lines()
                .map(str::trim)
                .filter(|line| !line.starts_with(['#', '!']))
                .filter_map(|line| line.split_once('='))
                .find(|(key, _)| key.trim_end() == name)
                .map(|(_, value)| value.trim())
                .ok_or_else(|| format!("{name} is absent"))
        };
        let version = field("version")?;
        if version != "1" {
            return Err(format!("version is {version}, only 1 is known"));
        }
        let cluster_id = field("cluster.id")?.to_owned();
        let node_id = field("node.id")?;
        let node_id = node_id.parse().map_err(|_| format!("node.id {node_id} is not a number"))?;
        let directory_id =
            field("directory.id")?.parse().map_err(|error| format!("directory.id: {error}"))?;
        Ok(MetaProperties { cluster_id, node_id: BrokerId(node_id), directory_id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_kafka_wrote() {
        let text = "#\n#Mon Nov 30 21:00:42 UTC 2026\ncluster.id=7qgq50leRS6JVjevNmpfJg\n\
                    directory.id=mIafsWkRTCGzNYVtNya5kg\nnode.id=1\nversion=1\n";
        let meta = MetaProperties::parse(text).unwrap();
        assert_eq!(meta.cluster_id, "7qgq50leRS6JVjevNmpfJg");
        assert_eq!(meta.node_id, BrokerId(1));
        assert_eq!(meta.to_text("Mon Nov 30 21:00:42 UTC 2026"), text);
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("", "version is absent"),
            ("version=0\n", "version is 0"),
            ("version=1\ncluster.id=x\nnode.id=one\n", "node.id one"),
            ("version=1\ncluster.id=x\nnode.id=1\n", "directory.id is absent"),
        ] {
            assert!(MetaProperties::parse(text).unwrap_err().contains(part), "{text:?}");
        }
    }
}
