/* What drivers measure with: time, ratios of times, and the memory that is asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_REPETITIONS
#define BENCH_REPETITIONS 21
#endif

/* What is allocated: the linker hands all calls of malloc, calloc, realloc and free here. */
static size_t present, peak;
void *__real_malloc(size_t n);
void __real_free(void *p);

static void *counted(size_t n) {
  size_t *p = __real_malloc(n + 16);
  if (!p)
    return NULL;
  p[0] = n;
  present += n;
  if (present > peak)
    peak = present;
  return p + 2;
}

void *__wrap_malloc(size_t n) {
  return counted(n);
}

void *__wrap_calloc(size_t n, size_t size) {
  void *p = counted(n * size);
  return p ? memset(p, 0, n * size) : NULL;
}

void __wrap_free(void *p) {
  if (!p)
    return;
  present -= ((size_t *)p)[-2];
  __real_free((size_t *)p - 2);
}

void *__wrap_realloc(void *p, size_t n) {
  void *q = counted(n);
  if (p && q) {
    size_t old = ((size_t *)p)[-2];
    memcpy(q, p, old < n ? old : n);
    __wrap_free(p);
  }
  return q;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double seconds(void (*run)(void), int times) {
  double start = now();
  for (int k = 0; k < times; k++)
    run();
  return now() - start;
}

/* The median of one time over another, the second measured right before the first. */
static double ratio(void (*of)(void), void (*over)(void), int times) {
  double r[BENCH_REPETITIONS];
  for (int k = 0; k < BENCH_REPETITIONS; k++) {
    double before = seconds(over, times);
    r[k] = seconds(of, times) / before;
  }
  qsort(r, BENCH_REPETITIONS, sizeof r[0], by_size);
  return r[BENCH_REPETITIONS / 2];
}

/* The most that a run asks for, in kB. */
static double memory(void (*run)(void)) {
  size_t before = present;
  peak = present;
  run();
  return (double)(peak - before) / 1e3;
}
