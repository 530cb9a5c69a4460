//! A text under construction, indented as rustfmt would.

#[derive(Default)]
pub struct Out {
    text: String,
    depth: usize,
}

impl Out {
    pub fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// A line that closes one.
    pub fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    /// A line that closes a block and opens the next: `} else {`.
    pub fn turn(&mut self, line: &str) {
        self.close(line);
        self.depth += 1;
    }

    pub fn finish(self) -> String {
        self.text
    }
}
