/* Run-time support for derivative code written by Overbar: a typed stack, and functions that C lacks.

   Everything is static inline but the stack itself, of which each thread has one, whatever the number of files that include
   this header. Values come back in the reverse order in which they were pushed, each through the pop of its own type. Scalars take
   8 bytes (long double 16), arrays are packed and rounded up to 8. The memory is a list of blocks; a block that has been emptied is kept
   for the next push, so repeated evaluations allocate nothing. A failed allocation or a pop from an empty stack ends the program
   with a message. ob_stack_free() gives the calling thread's memory back. */
#ifndef OVERBAR_H
#define OVERBAR_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__cplusplus)
#define OB_THREAD_LOCAL thread_local
#else
#define OB_THREAD_LOCAL _Thread_local
#endif

#if defined(__GNUC__)
#define OB_SHARED __attribute__((weak))
#define OB_RARE(condition) __builtin_expect(!!(condition), 0)
#define OB_COLD __attribute__((unused, noinline, cold))
#else
#define OB_SHARED static
#define OB_RARE(condition) (condition)
#define OB_COLD inline
#endif

/* The head of a block; the values follow. */
struct ob_block {
  struct ob_block *below; /* the block that was full before this one */
  char *left;             /* where that block's values end */
  size_t size;            /* bytes for values */
  size_t unused;          /* keeps the values 16-byte aligned */
};

struct ob_stack {
  char *top;              /* behind the last value */
  char *begin;            /* of the values in the present block */
  char *end;              /* of the present block */
  char *high;             /* highest top in the present block so far */
  struct ob_block *block; /* the present block */
  struct ob_block *spare; /* an empty one */
  size_t below;           /* bytes in the blocks below */
  size_t peak;            /* highest number of bytes in blocks that have been left */
};

OB_SHARED OB_THREAD_LOCAL struct ob_stack ob_stack_of_thread;

#define OB_FIRST_BLOCK ((size_t)1 << 16)
#define OB_LARGEST_STEP ((size_t)1 << 26)

static OB_COLD void ob_fail(const char *message) {
  fflush(stdout);
  fprintf(stderr, "overbar: %s\n", message);
  abort();
}

static inline void ob_note_peak(struct ob_stack *s) {
  char *high = s->high > s->top ? s->high : s->top;
  size_t bytes = s->below + (size_t)(high - s->begin);
  if (bytes > s->peak)
    s->peak = bytes;
}

static inline void ob_enter_block(struct ob_stack *s, struct ob_block *block, char *top) {
  s->block = block;
  s->begin = (char *)(block + 1);
  s->end = s->begin + block->size;
  s->top = top;
  s->high = top;
}

/* Makes room for that many bytes in a new block and returns the top. */
static OB_COLD char *ob_grow(size_t bytes) {
  struct ob_stack *s = &ob_stack_of_thread;
  struct ob_block *block = s->spare;
  s->spare = NULL;
  if (!block || block->size < bytes) {
    size_t size = OB_FIRST_BLOCK;
    free(block);
    if (s->block)
      size = s->block->size < OB_LARGEST_STEP ? 2 * s->block->size : s->block->size;
    if (size < bytes)
      size = bytes;
    block = size > (size_t)-1 - sizeof *block ? NULL : (struct ob_block *)malloc(sizeof *block + size);
    if (!block) {
      fflush(stdout);
      fprintf(stderr, "overbar: no memory for a block of %lu bytes on the stack, which holds %lu bytes\n", (unsigned long)size,
              (unsigned long)(s->below + (size_t)(s->top - s->begin)));
      abort();
    }
    block->size = size;
  }
  block->below = s->block;
  block->left = s->top;
  if (s->block) {
    ob_note_peak(s);
    s->below += (size_t)(s->top - s->begin);
  }
  ob_enter_block(s, block, (char *)(block + 1));
  return s->top;
}

/* Goes back to the block below, whose last value has that many bytes, and returns the top. */
static OB_COLD char *ob_shrink(size_t bytes) {
  struct ob_stack *s = &ob_stack_of_thread;
  struct ob_block *emptied = s->block;
  if (!emptied || (s->top == s->begin && !emptied->below))
    ob_fail("a value is popped from an empty stack");
  if (s->top != s->begin)
    ob_fail("a value is popped that is larger than the one that was pushed");
  ob_note_peak(s);
  ob_enter_block(s, emptied->below, emptied->left);
  s->below -= (size_t)(s->top - s->begin);
  if (!s->spare) {
    s->spare = emptied;
  } else if (s->spare->size < emptied->size) {
    free(s->spare);
    s->spare = emptied;
  } else {
    free(emptied);
  }
  if ((size_t)(s->top - s->begin) < bytes)
    ob_fail("a value is popped that is larger than the one that was pushed");
  return s->top;
}

/* Room for a value of that many bytes, a multiple of 8. */
static inline char *ob_reserve(size_t bytes) {
  struct ob_stack *s = &ob_stack_of_thread;
  char *top = s->top;
  if (OB_RARE((size_t)(s->end - top) < bytes))
    top = ob_grow(bytes);
  s->top = top + bytes;
  return top;
}

/* The last value, which has that many bytes; it leaves the stack. */
static inline char *ob_release(size_t bytes) {
  struct ob_stack *s = &ob_stack_of_thread;
  char *top = s->top;
  if (OB_RARE((size_t)(top - s->begin) < bytes))
    top = ob_shrink(bytes);
  if (top > s->high)
    s->high = top;
  s->top = top - bytes;
  return top - bytes;
}

static inline size_t ob_rounded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* Bytes of that many values, which are in memory already; a count below zero stands for an empty section. There is no branch here: compilers
   would go on from it to think of calls with impossible counts, and warn. */
static inline size_t ob_array_bytes(ptrdiff_t count, size_t size) { return (size_t)(count > 0 ? count : 0) * size; }

/* Any bytes. */
static inline void ob_push_bytes(const void *p, size_t bytes) {
  if (bytes > 0)
    memcpy(ob_reserve(ob_rounded(bytes)), p, bytes);
}

static inline void ob_pop_bytes(void *p, size_t bytes) {
  if (bytes > 0)
    memcpy(p, ob_release(ob_rounded(bytes)), bytes);
}

/* ob_push_NAME, ob_pop_NAME, ob_push_NAME_array, ob_pop_NAME_array for a type of at most 8 bytes. */
#define OB_TYPE(NAME, TYPE)                                                                             \
  static inline void ob_push_##NAME(TYPE x) { *(TYPE *)(void *)ob_reserve(8) = x; }                     \
  static inline TYPE ob_pop_##NAME(void) { return *(TYPE *)(void *)ob_release(8); }                     \
  static inline void ob_push_##NAME##_array(const TYPE *p, ptrdiff_t n) { ob_push_bytes(p, ob_array_bytes(n, sizeof *p)); } \
  static inline void ob_pop_##NAME##_array(TYPE *p, ptrdiff_t n) { ob_pop_bytes(p, ob_array_bytes(n, sizeof *p)); }

OB_TYPE(double, double)
OB_TYPE(float, float)
OB_TYPE(char, char)
OB_TYPE(signed_char, signed char)
OB_TYPE(unsigned_char, unsigned char)
OB_TYPE(short, short)
OB_TYPE(unsigned_short, unsigned short)
OB_TYPE(int, int)
OB_TYPE(unsigned_int, unsigned int)
OB_TYPE(long, long)
OB_TYPE(unsigned_long, unsigned long)
OB_TYPE(long_long, long long)
OB_TYPE(unsigned_long_long, unsigned long long)
#if defined(__cplusplus)
OB_TYPE(bool, bool)
#else
OB_TYPE(bool, _Bool)
#endif
#undef OB_TYPE

static inline void ob_push_long_double(long double x) { ob_push_bytes(&x, sizeof x); }
static inline long double ob_pop_long_double(void) {
  long double x;
  ob_pop_bytes(&x, sizeof x);
  return x;
}
static inline void ob_push_long_double_array(const long double *p, ptrdiff_t n) { ob_push_bytes(p, ob_array_bytes(n, sizeof *p)); }
static inline void ob_pop_long_double_array(long double *p, ptrdiff_t n) { ob_pop_bytes(p, ob_array_bytes(n, sizeof *p)); }

/* Bytes on the calling thread's stack, now and at most so far. */
static inline size_t ob_stack_bytes(void) {
  struct ob_stack *s = &ob_stack_of_thread;
  return s->block ? s->below + (size_t)(s->top - s->begin) : 0;
}

static inline size_t ob_stack_peak(void) {
  struct ob_stack *s = &ob_stack_of_thread;
  if (s->block)
    ob_note_peak(s);
  return s->peak;
}

/* Frees the calling thread's stack with everything on it. */
static inline void ob_stack_free(void) {
  struct ob_stack *s = &ob_stack_of_thread;
  while (s->block) {
    struct ob_block *below = s->block->below;
    free(s->block);
    s->block = below;
  }
  free(s->spare);
  memset(s, 0, sizeof *s);
}

/* The remainder with the sign of the divisor, of reals and of integers. */
static inline double ob_modulo(double a, double b) {
  double r = fmod(a, b);
  if (r == 0)
    return copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

static inline long long ob_modulo_int(long long a, long long b) {
  long long r = b == -1 ? 0 : a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* A whole power of a whole number; 0 or +-1 for negative exponents, as integer division has it. */
static inline long long ob_power_int(long long base, long long exponent) {
  unsigned long long result = 1, factor = (unsigned long long)base;
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : base == 0 ? 1 / base : 0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2)
      result *= factor;
    factor *= factor;
  }
  return (long long)result;
}

static inline long long ob_max_int(long long a, long long b) { return a > b ? a : b; }
static inline long long ob_min_int(long long a, long long b) { return a < b ? a : b; }
static inline long long ob_dim_int(long long a, long long b) { return a > b ? a - b : 0; }

/* |a| with the sign of b; 0 counts as positive. */
static inline long long ob_sign_int(long long a, long long b) { return (a < 0) != (b < 0) ? -a : a; }

/* The derivative of log|gamma(x)|, to 1e-15 (relative; absolute near the zeros at negative arguments); infinite at 0, not a number at
   -1, -2, ... */
static inline double ob_digamma(double x) {
  /* digamma(x) / (x - zero) on [1, 2] as a polynomial in 2 x - 3 */
  static const double quotient[] = {
      0.9510558760318328,     -0.21181371064073024,   0.06013562106019684,    -0.018550615381739702,
      0.005936795278301875,   -0.0019350666647392832, 0.0006368880303847901,  -0.00021074841284590126,
      6.99501882655044e-05,   -2.325823275895313e-05, 7.741234441368395e-06,  -2.578133701610713e-06,
      8.589062683365892e-07,  -2.8621216825577647e-07, 9.543261570760428e-08, -3.1807298477301726e-08,
      1.0528133851878114e-08, -3.509235492410718e-09, 1.2466690231864029e-09, -4.1555064115551965e-10,
      8.748420037436287e-11,  -2.9161179626023815e-11, 2.916093601085364e-11, -9.720300404202244e-12};
  const double digamma_zero = 1.4616321449683622, digamma_rest = 9.549995429965697e-17, half_circle = 3.14159265358979323846;
  double shift = 0, t, p;
  int k;
  if (x <= 0) {
    double whole = floor(x + 0.5), part = x - whole;
    if (x == 0)
      return copysign(HUGE_VAL, -x);
    if (part == 0 || isinf(x))
      return NAN;
    /* digamma(x) = digamma(1 - x) - pi / tan(pi x) */
    shift = -half_circle / tan(half_circle * part);
    x = 1 - x;
  }
  if (x >= 10) {
    double r = 1 / (x * x);
    p = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
    return shift + (log(x) - 0.5 / x - p);
  }
  while (x > 2) {
    x -= 1;
    shift += 1 / x;
  }
  if (x < 1) {
    shift -= 1 / x;
    x += 1;
  }
  t = 2 * x - 3;
  p = 0;
  for (k = (int)(sizeof quotient / sizeof quotient[0]) - 1; k >= 0; k--)
    p = p * t + quotient[k];
  return shift + p * ((x - digamma_zero) - digamma_rest);
}

#endif
