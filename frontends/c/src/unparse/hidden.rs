//! Names of the library that the user's text has for something of its own.
//!
//! ```text
//! #define index ob_library_index
//! #include <string.h>
//! #undef index
//! ```
//!
//! Derivative code needs headers that the user's text does not include, and may not: it has a function `div`, a table `y1`, a type `select` of its own. While such headers are
//! read, what the library calls so has another name; what is a macro there (`extern double NAN`) is taken back behind them.
//! Lives here: which names these are. Never here: which headers are needed, and names that derivative code itself calls.

use super::names;
use super::text::{Directive, blanked, directives};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What the headers of [`super::file::includes`] declare with the compiler's own extensions; functions of reals also with `f` and `l` behind it.
const LIBRARY: &str = "FILE a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asin asinh at_quick_exit atan \
    atan2 atanh atexit atof atoi atol bcmp bcopy blkcnt_t blksize_t bsearch bzero caddr_t calloc cbrt ceil clearenv clearerr \
    clearerr_unlocked clock_t clockid_t copysign cos cosh ctermid daddr_t dev_t div div_t double_t dprintf drand48 drand48_r drem ecvt \
    ecvt_r erand48 erand48_r erf erfc exit exp exp2 explicit_bzero expm1 fabs fclose fcvt fcvt_r fd_mask fd_set fdim fdopen feof \
    feof_unlocked ferror ferror_unlocked fflush fflush_unlocked ffs ffsl fgetc fgetc_unlocked fgetpos fgets fileno fileno_unlocked \
    finite float_t flockfile floor fma fmax fmemopen fmin fmod fopen fpos_t fprintf fputc fputc_unlocked fputs fread fread_unlocked \
    free freopen frexp fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt_t fsid_t ftell ftello ftrylockfile funlockfile fwrite \
    fwrite_unlocked gamma gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline getloadavg getsubopt getw gid_t \
    hypot id_t ilogb index initstate initstate_r ino_t int16_t int32_t int64_t int8_t isinf isnan j0 j1 jn jrand48 jrand48_r key_t \
    l64a labs lcong48 lcong48_r ldexp ldiv ldiv_t lgamma lgamma_r lgammaf_r lgammal_r llabs lldiv lldiv_t llrint llround locale_t \
    loff_t log log10 log1p log2 logb lrand48 lrand48_r lrint lround malloc max_align_t mblen mbstowcs mbtowc memccpy memchr memcmp \
    memcpy memmove memset mkdtemp mkstemp mkstemps mktemp mode_t modf mrand48 mrand48_r nan nearbyint nextafter nexttoward nlink_t \
    nrand48 nrand48_r off_t on_exit open_memstream pclose perror pid_t popen posix_memalign pow printf pselect pthread_attr_t \
    pthread_barrier_t pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t pthread_mutex_t pthread_mutexattr_t \
    pthread_once_t pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t pthread_t ptrdiff_t putc putc_unlocked putchar \
    putchar_unlocked putenv puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort quad_t quick_exit rand rand_r random random_r realloc \
    reallocarray realpath register_t remainder remove remquo rename renameat rewind rindex rint round rpmatch scalb scalbln scalbn \
    scanf seed48 seed48_r select setbuf setbuffer setenv setlinebuf setstate setstate_r setvbuf signgam significand sigset_t sin sinh \
    size_t snprintf sprintf sqrt srand srand48 srand48_r srandom srandom_r sscanf ssize_t stderr stdin stdout stpcpy stpncpy \
    strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strlen \
    strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof \
    strtok strtok_r strtol strtold strtoq strtoul strtouq strxfrm strxfrm_l suseconds_t system tan tanh tempnam tgamma time_t timer_t \
    tmpfile tmpnam tmpnam_r trunc u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short uid_t uint ulong ungetc \
    unsetenv ushort va_list valloc vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wchar_t wcstombs wctomb y0 y1 \
    yn";

/// Macros of headers that printed code may need.
const MACROS: [(&str, &str); 5] = [
    (
        "<math.h>",
        "FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MAXFLOAT M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 \
         M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN fpclassify isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan \
         isnormal isunordered signbit",
    ),
    ("<stdio.h>", "BUFSIZ EOF FILENAME_MAX FOPEN_MAX SEEK_CUR SEEK_END SEEK_SET TMP_MAX"),
    ("<stdlib.h>", "EXIT_FAILURE EXIT_SUCCESS MB_CUR_MAX RAND_MAX"),
    ("<float.h>", "DBL_DIG DBL_EPSILON DBL_MAX DBL_MAX_EXP DBL_MIN DBL_MIN_EXP FLT_DIG FLT_EPSILON FLT_MAX FLT_MIN FLT_RADIX"),
    ("<limits.h>", "CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LONG_MAX LONG_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULONG_MAX"),
];

/// The headers that the run-time support includes.
const OF_RUNTIME: [&str; 5] = ["<math.h>", "<stddef.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"];

/// Whether the library's headers declare a function, variable or type of that name.
pub(super) fn is_of_library(name: &str) -> bool {
    static SET: std::sync::OnceLock<FxHashSet<&str>> = std::sync::OnceLock::new();
    let set = SET.get_or_init(|| LIBRARY.split_whitespace().collect());
    set.contains(name) || name.strip_suffix(['f', 'l']).is_some_and(|n| set.contains(n))
}

/// Whether derivative code or its run-time support may mean the library by that name.
fn is_needed(name: &str) -> bool {
    static SET: std::sync::OnceLock<FxHashSet<&str>> = std::sync::OnceLock::new();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    names::is_reserved(name) || SET.get_or_init(|| crate::RUNTIME.split(word).collect()).contains(name)
}

/// Names of the library that the user has for something of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Own {
    /// What the library declares.
    names: BTreeSet<String>,
    /// What it defines as a macro.
    macros: BTreeSet<String>,
}

/// The header that defines a macro of that name.
fn defining(name: &str) -> Option<&'static str> {
    MACROS.iter().find(|(_, list)| list.split_whitespace().any(|m| m == name)).map(|(header, _)| *header)
}

/// The names of the library at file scope of these texts.
pub(super) fn names<'t>(texts: impl Iterator<Item = &'t str>) -> Own {
    let mut out = Own::default();
    for text in texts {
        out.macros.extend(directives(text).iter().filter_map(Directive::defined).filter(|m| defining(m).is_some()).map(str::to_owned));
        let blank = blanked(text);
        let (mut braces, mut parentheses, mut before, mut k) = (0usize, 0usize, "", 0);
        // Whether a name that stands here is declared.
        let mut declares = false;
        while k < blank.len() {
            let start = k;
            while k < blank.len() && (blank[k].is_ascii_alphanumeric() || blank[k] == b'_') {
                k += 1;
            }
            if k > start {
                let name = &text[start..k];
                if braces == 0 && parentheses == 0 {
                    if declares && defining(name).is_some() {
                        out.macros.insert(name.to_owned());
                    }
                    if is_of_library(name) && !is_needed(name) {
                        out.names.insert(name.to_owned());
                    }
                    declares |= before != "=";
                }
                // What an enumeration lists is at file scope too.
                before = if before == "enum" && braces == 0 { before } else { name };
                continue;
            }
            match blank[k] {
                b'{' if before != "enum" => braces += 1,
                b'}' if before != "enum" => braces = braces.saturating_sub(1),
                b'(' => (parentheses, before) = (parentheses + 1, ""),
                b')' => parentheses = parentheses.saturating_sub(1),
                b'=' => (before, declares) = ("=", false),
                b',' if before != "enum" => (before, declares) = ("", true),
                b';' => (before, declares) = ("", false),
                _ => {}
            }
            k += 1;
        }
    }
    out
}

/// The `#include` lines, with the names of the library hidden as they are read. `present`: headers that the user's text includes.
pub(super) fn wrapped(mut lines: Vec<String>, own: &Own, present: &[&str]) -> Vec<String> {
    if lines.is_empty() {
        return lines;
    }
    let runtime = lines.iter().any(|l| l.ends_with("\"overbar.h\""));
    let read = |header: &str| lines.iter().any(|l| l.ends_with(header)) || (runtime && OF_RUNTIME.contains(&header));
    let added = |m: &&String| defining(m).is_some_and(|h| !present.contains(&h) && read(h));
    let undefined: Vec<String> = own.macros.iter().filter(added).map(|n| format!("#undef {n}")).collect();
    let mut out: Vec<String> = own.names.iter().map(|n| format!("#define {n} ob_library_{n}")).collect();
    let mut last = None;
    if !own.names.is_empty() || !undefined.is_empty() {
        // What the run-time support includes is read before it, so that it is hidden there as well.
        last = lines.pop_if(|l| l.ends_with('"'));
        if last.is_some() {
            let more = OF_RUNTIME.iter().map(|h| format!("#include {h}")).filter(|l| !lines.contains(l)).collect::<Vec<_>>();
            lines.extend(more);
        }
    }
    out.extend(lines);
    out.extend(own.names.iter().map(|n| format!("#undef {n}")));
    out.extend(last);
    out.extend(undefined);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_file_scope_alone_are_hidden() {
        let text = "static double y1(double x, int index) { int div = 1; return x * div; }\nenum e { select, random };\nstruct s { int rand; };\n\
                    /* gamma */ double free(double remove);\nint jnf;";
        let found = names([text].into_iter()).names;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["jnf", "random", "select", "y1"]);
        let lines = wrapped(vec!["#include <math.h>".into(), "#include \"overbar.h\"".into()], &names(["int div;"].into_iter()), &[]);
        assert_eq!(lines.first().map(String::as_str), Some("#define div ob_library_div"));
        assert_eq!(lines.last().map(String::as_str), Some("#include \"overbar.h\""));
        assert_eq!(lines[lines.len() - 2], "#undef div");
        assert_eq!(lines.iter().filter(|l| l.starts_with("#include <")).count(), 5);
    }

    #[test]
    fn macros_of_added_headers_are_taken_back() {
        let own = names(
            ["#define M_PI 3.0\nextern double a, NAN;\ndouble b = INFINITY, c[] = { HUGE_VAL };\nint isnan(double x);\n"].into_iter(),
        );
        assert_eq!(own.macros.iter().map(String::as_str).collect::<Vec<_>>(), ["M_PI", "NAN", "isnan"]);
        let lines = wrapped(vec!["#include <math.h>".into()], &own, &[]);
        assert_eq!(lines, ["#include <math.h>", "#undef M_PI", "#undef NAN", "#undef isnan"]);
        assert_eq!(wrapped(vec!["#include <stdlib.h>".into()], &own, &["<math.h>"]), ["#include <stdlib.h>"]);
        // What the run-time support includes is there, too.
        let lines = wrapped(vec!["#include \"overbar.h\"".into()], &own, &[]);
        assert_eq!(lines.last().map(String::as_str), Some("#undef isnan"));
        assert_eq!(lines.iter().filter(|l| l.starts_with("#include ")).count(), 6);
    }
}
