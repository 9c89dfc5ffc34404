//! The standard headers that text may include when no preprocessor runs, as declarations of our own.
//!
//! Lives here: what they declare, as far as the front end cares. Never here: the meaning of functions (see `language`).

use super::tokens::{Scanned, splice};
use xaif::Diagnostic;

/// Declarations that stand before the text, by header.
const HEADERS: [(&str, &str); 12] = [
    ("math.h", ""),
    ("float.h", ""),
    ("limits.h", ""),
    ("assert.h", "void assert(int);"),
    ("stdbool.h", "typedef _Bool bool;"),
    ("stddef.h", "typedef unsigned long size_t; typedef long ptrdiff_t;"),
    (
        "stdint.h",
        "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; typedef unsigned char uint8_t; \
         typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t; typedef long intptr_t; \
         typedef unsigned long uintptr_t; typedef long intmax_t; typedef unsigned long uintmax_t; typedef long ptrdiff_t_;",
    ),
    (
        "stdlib.h",
        "typedef unsigned long size_t; void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *); \
         void abort(void); void exit(int); int abs(int); long labs(long); long long llabs(long long); int atoi(const char *); \
         double atof(const char *); int rand(void); void srand(unsigned);",
    ),
    (
        "string.h",
        "typedef unsigned long size_t; void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); \
         void *memmove(void *, const void *, size_t); size_t strlen(const char *); int strcmp(const char *, const char *);",
    ),
    (
        "stdio.h",
        "typedef unsigned long size_t; typedef struct ob_file FILE; extern FILE *stdin; extern FILE *stdout; extern FILE *stderr; \
         int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char *); int putchar(int); int fflush(FILE *); \
         int fputs(const char *, FILE *);",
    ),
    ("time.h", "typedef long time_t; typedef long clock_t; clock_t clock(void);"),
    ("errno.h", ""),
];

/// Text that the parser can read in place of a text that was not preprocessed: the declarations of its headers, then the text itself with
/// comments, spliced lines and directives blanked, byte for byte in the old places.
pub(crate) struct Prepared {
    pub text: String,
    /// Bytes before the text.
    pub shift: usize,
}

/// The declarations of a standard header.
pub(crate) fn declarations(name: &str) -> Option<(&'static str, &'static str)> {
    HEADERS.iter().find(|(h, _)| *h == name).copied()
}

/// Adds the declarations of a header to those before the text, each once.
pub(crate) fn add(preamble: &mut String, text: &str) {
    for declaration in text.split_inclusive(';') {
        if !preamble.contains(declaration.trim()) {
            preamble.push_str(declaration);
        }
    }
}

/// Replaces the headers of a text.
pub(crate) fn replace(file: &str, raw: &str, scanned: &Scanned) -> Result<Prepared, Vec<Diagnostic>> {
    let mut preamble = String::new();
    let mut problems = Vec::new();
    let mut bytes = raw.as_bytes().to_vec();
    let mut blank = |start: usize, end: usize| {
        for b in &mut bytes[start..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
    };
    for d in &scanned.directives {
        let line = &raw[d.start..d.end];
        let body = line.trim_start_matches('#').trim();
        let known = body
            .strip_prefix("include")
            .and_then(|rest| rest.trim().strip_prefix('<'))
            .and_then(|rest| rest.split_once('>'))
            .and_then(|(name, _)| declarations(name.trim()));
        match known {
            Some((_, text)) => add(&mut preamble, text),
            None if body.is_empty() || body.starts_with("pragma") => {}
            None => {
                let column = raw[..d.start].rfind('\n').map_or(d.start, |p| d.start - p - 1) as u32 + 1;
                problems.push(
                    Diagnostic::error("OB2003", format!("`#{}` needs the preprocessor", body.lines().next().unwrap_or_default()))
                        .at(xaif::diagnostic::Location {
                            file: file.to_owned(),
                            line: d.line,
                            column,
                            end_line: d.line,
                            end_column: column + line.chars().count() as u32,
                        })
                        .because("preprocessing is off, and then only standard headers may be included")
                        .help("switch preprocessing on, or pass text that is already preprocessed"),
                );
            }
        }
        blank(d.start, d.end);
    }
    for &(start, end) in &scanned.comments {
        blank(start, end);
    }
    let backslashes: Vec<usize> = raw.match_indices('\\').map(|(i, _)| i).filter(|&i| splice(raw.as_bytes(), i).is_some()).collect();
    for i in backslashes {
        blank(i, i + 1);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    preamble.push('\n');
    let shift = preamble.len();
    // Only whole comments, directives and single ASCII bytes were blanked: the text is UTF-8 still.
    preamble.push_str(&String::from_utf8_lossy(&bytes));
    Ok(Prepared { text: preamble, shift })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::tokens::scan;

    #[test]
    fn bytes_stay_in_their_places() {
        let raw = "#include <stdlib.h>\n#include <string.h> // é\nint x; /* é */ int y;\n";
        let p = replace("a.c", raw, &scan(raw)).unwrap_or_else(|_| panic!());
        assert_eq!(p.text.find("int y").unwrap() - p.shift, raw.find("int y").unwrap());
        assert_eq!(p.text.matches("size_t;").count(), 1);
        assert!(replace("a.c", "#define N 3\n", &scan("#define N 3\n")).is_err());
    }
}
