//! The table of crates of the design as data: layers, and each arrow that is allowed.
//!
//! A new arrow is a decision: write an ADR, then add it here.

pub struct Row {
    pub name: &'static str,
    pub layer: u8,
    /// Blind: no clock, randomness, files, sockets or tokio.
    pub pure: bool,
    /// The crates of the workspace it may use when shipped. Tests may use any crate that does not
    /// use it in turn.
    pub uses: &'static [&'static str],
}

const fn row(name: &'static str, layer: u8, pure: bool, uses: &'static [&'static str]) -> Row {
    Row { name, layer, pure, uses }
}

/// Layer 9 holds what is never shipped.
pub const TABLE: &[Row] = &[
    row("types", 0, true, &[]),
    row("wire", 1, true, &["types"]),
    row("records", 1, true, &["types"]),
    row("config", 1, true, &["types"]),
    row("shard", 2, true, &["types"]),
    row("replication", 2, true, &["types"]),
    row("controller", 2, true, &["types", "wire", "config", "shard"]),
    row("group", 2, true, &["types", "wire", "shard"]),
    row("txn", 2, true, &["types", "wire", "shard"]),
    row("share", 2, true, &["types", "wire", "shard"]),
    row("delivery", 2, true, &["types", "wire", "shard"]),
    row("log", 3, false, &["types", "wire", "records"]),
    row("raft", 3, false, &["types", "wire", "shard", "controller"]),
    row("net", 3, false, &["types", "wire"]),
    row("client", 3, false, &["types", "wire", "records"]),
    row(
        "broker",
        4,
        false,
        &[
            "types",
            "wire",
            "records",
            "config",
            "shard",
            "replication",
            "controller",
            "group",
            "txn",
            "share",
            "delivery",
            "log",
            "raft",
            "net",
            "client",
        ],
    ),
    row("admin", 4, false, &["types", "config", "broker"]),
    row("console", 4, false, &["types", "admin"]),
    row("toolkit", 4, false, &["types", "wire", "records", "client"]),
    row(
        "cli",
        4,
        false,
        &["types", "wire", "records", "config", "log", "client", "broker", "admin", "console"],
    ),
    row(
        "testkit",
        9,
        false,
        &["types", "wire", "records", "config", "log", "net", "client", "broker"],
    ),
    row(
        "sim",
        9,
        false,
        &[
            "types",
            "wire",
            "records",
            "shard",
            "replication",
            "controller",
            "group",
            "txn",
            "share",
            "delivery",
            "log",
            "raft",
            "testkit",
        ],
    ),
];

pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arrow_points_to_an_earlier_row_of_a_layer_not_above() {
        for (at, row) in TABLE.iter().enumerate() {
            for used in row.uses {
                let place = TABLE.iter().position(|other| other.name == *used).expect(used);
                assert!(place < at, "{} → {used} points up", row.name);
                assert!(TABLE[place].layer <= row.layer, "{} → {used}", row.name);
                assert!(!row.pure || TABLE[place].pure, "{} → {used} is not pure", row.name);
            }
        }
    }

    #[test]
    fn no_coordinator_uses_another() {
        let coordinators = ["group", "txn", "share", "delivery", "controller"];
        for row in TABLE.iter().filter(|row| coordinators.contains(&row.name)) {
            assert!(row.uses.iter().all(|used| !coordinators.contains(used)), "{}", row.name);
        }
    }
}
