//! From byte offsets to lines and columns.
//!
//! Lives here: a tracker that counts each byte of the document about once. Never here: anything of XML.

/// Remembers the place it was asked for last; asking further on costs the bytes between.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    offset: usize,
    line: u32,
    column: u32,
}

impl Default for Tracker {
    fn default() -> Tracker {
        Tracker { offset: 0, line: 1, column: 1 }
    }
}

impl Tracker {
    /// Line and column, from 1, columns in characters.
    pub fn locate(&mut self, text: &str, offset: usize) -> (u32, u32) {
        let offset = offset.min(text.len());
        if offset < self.offset {
            *self = Tracker::default();
        }
        let passed = &text.as_bytes()[self.offset..offset];
        let lines = match passed.len() {
            0..1024 => passed.iter().filter(|b| **b == b'\n').count(),
            _ => memchr::memchr_iter(b'\n', passed).count(),
        } as u32;
        let tail = match memchr::memrchr(b'\n', passed) {
            Some(at) => {
                self.line = self.line.saturating_add(lines);
                self.column = 1;
                &passed[at + 1..]
            }
            None => passed,
        };
        // A character counts where it begins.
        let characters = tail.iter().filter(|b| (**b as i8) >= -0x40).count() as u32;
        self.column = self.column.saturating_add(characters);
        self.offset = offset;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "ab\ncä€d\n\nx";
        let mut t = Tracker::default();
        for (offset, place) in [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (9, (2, 4)), (11, (3, 1)), (12, (4, 1)), (13, (4, 2)), (1, (1, 2))] {
            assert_eq!(t.locate(text, offset), place, "{offset}");
        }
    }
}
