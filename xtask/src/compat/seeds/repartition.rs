//! A5: four orders are written to three partitions, and again after a fourth was added.

use super::Lab;

/// What Kafka 4.4.0's client chose, in the text's order.
const EXPECTED: &str = "\
Partition:0\tOffset:0\t1026\tpay
Partition:0\tOffset:1\t1027\tpay
Partition:0\tOffset:2\t1026\tship
Partition:1\tOffset:0\t1024\tship
Partition:1\tOffset:1\t1025\tship
Partition:2\tOffset:0\t1024\tpay
Partition:2\tOffset:1\t1025\tpay
Partition:3\tOffset:0\t1027\tship";

pub fn check(lab: &Lab) -> Result<(), String> {
    lab.tools.ok("topics", &["--create", "--topic", "addp", "--partitions", "3"])?;
    write(lab, "pay")?;
    lab.tools.ok("topics", &["--alter", "--topic", "addp", "--partitions", "4"])?;
    write(lab, "ship")?;
    let mut args = vec!["--topic", "addp", "--from-beginning", "--max-messages", "8"];
    for property in ["print.key=true", "print.partition=true", "print.offset=true"] {
        args.extend(["--formatter-property", property]);
    }
    let said = lab.tools.ok("console-consumer", &args)?;
    let mut lines: Vec<&str> = said.out.lines().collect();
    lines.sort_unstable();
    if lines.join("\n") == EXPECTED { Ok(()) } else { Err(lines.join("\n")) }
}

fn write(lab: &Lab, event: &str) -> Result<(), String> {
    let text: String = (1024..1028).map(|order| format!("{order}:{event}\n")).collect();
    let keyed = ["--reader-property", "parse.key=true", "--reader-property", "key.separator=:"];
    lab.tools.fed("console-producer", &[&["--topic", "addp"], &keyed[..]].concat(), &text)?;
    Ok(())
}
