//! What the headers of the library declare.
//!
//! Lives here: the list. Never here: which of these names a text has for something of its own (see
//! `files/hidden_names.rs`).

use rustc_hash::FxHashSet;

/// What the headers of `files/whole.rs` declare with the compiler's own extensions; functions of reals also with `f` and `l` behind it.
pub(crate) const LIBRARY: &str = "FILE a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asin asinh at_quick_exit atan \
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

/// Whether the library's headers declare a function, variable or type of that name.
pub(crate) fn is_of_library(name: &str) -> bool {
    static SET: std::sync::OnceLock<FxHashSet<&str>> = std::sync::OnceLock::new();
    let set = SET.get_or_init(|| LIBRARY.split_whitespace().collect());
    set.contains(name) || name.strip_suffix(['f', 'l']).is_some_and(|n| set.contains(n))
}
