//! The standard library: names of functions, by what they do.
//!
//! Lives here: the tables. Never here: how calls are translated, mathematics (see `math`).

/// Functions that write to files.
pub(crate) const OUTPUT: [&str; 12] =
    ["printf", "fprintf", "puts", "putchar", "fputs", "fputc", "putc", "fflush", "perror", "vprintf", "vfprintf", "fclose"];

/// Functions that set what they are given, from files or text.
pub(crate) const INPUT: [&str; 5] = ["scanf", "fscanf", "sscanf", "sprintf", "snprintf"];

/// Functions of libraries that hand out a pointer to the numbers that belong to the structure they are given, always the same one: of SUNDIALS.
pub(crate) const DATA_ACCESSORS: [&str; 3] = ["N_VGetArrayPointer", "N_VGetArrayPointer_Serial", "SUNDenseMatrix_Data"];

/// Functions that end the program.
pub(crate) const STOP: [&str; 5] = ["exit", "abort", "_Exit", "quick_exit", "__builtin_abort"];

/// Jumps from one function into another, and what sets where they lead to.
pub(crate) const FAR_JUMPS: [&str; 7] = ["setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp"];

/// What `assert` is called, as it stands or expanded.
pub(crate) const ASSERT: [&str; 3] = ["assert", "__assert_fail", "__assert_rtn"];

/// Functions of the library whose results do not come from numbers that earlier calls have got: text, memory, time, chance, the machine.
const FORGETFUL: [&str; 62] = [
    "abs",
    "labs",
    "llabs",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "strtod",
    "strtof",
    "strtold",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strlen",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "isalpha",
    "isdigit",
    "isspace",
    "isupper",
    "islower",
    "toupper",
    "tolower",
    "rand",
    "random",
    "drand48",
    "lrand48",
    "mrand48",
    "erand48",
    "time",
    "clock",
    "difftime",
    "gettimeofday",
    "clock_gettime",
    "omp_get_wtime",
    "omp_get_wtick",
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_get_max_threads",
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Barrier",
    "getpid",
    "sysconf",
    "qsort",
    "bsearch",
    "usleep",
    "sleep",
];

/// Functions that give memory.
pub(crate) const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "realloc"];

/// Whether results of a function of the library do not depend on what others have got.
pub(crate) fn forgets(name: &str) -> bool {
    FORGETFUL.contains(&name)
}

/// True for functions that only write to files.
pub(crate) fn is_output(name: &str) -> bool {
    OUTPUT.contains(&name) || STOP.contains(&name) || ASSERT.contains(&name)
}
