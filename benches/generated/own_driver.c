/* Times the primal, the adjoint by hand and the generated ones of one kernel in one process, and counts the memory that they ask for. The kernel's data and
   calls stand in front of this text. */
#include <malloc.h>
#include <stdio.h>
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

static int bad;

static void bench_compare(const char *what, const double *a, const double *b, int n) {
  double most = 0, scale = 1e-300;
  for (int i = 0; i < n; i++) {
    double d = fabs(a[i] - b[i]);
    most = d > most || d != d ? d : most;
    scale = fmax(scale, fabs(b[i]));
  }
  if (!(most <= 1e-9 * scale)) {
    printf("%s: the derivative of %s is off by %g of %g\n", BENCH_NAME, what, most, scale);
    bad = 1;
  }
}

int main(void) {
  /* Memory stays with the process: what is measured is not how often the system clears pages. */
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TOP_PAD, 1 << 20);
  bench_make();
  bench_primal();
  int times = 1;
  while (BENCH_REPETITIONS > 1 && seconds(bench_primal, times) < 2e-3)
    times *= 2;
  bench_hand();
  bench_c();
  if (bench_fortran)
    bench_fortran();
  bench_differences();
  double us = seconds(bench_primal, times) / times * 1e6;
  double hand = memory(bench_hand), c = memory(bench_c);
  printf("%-18s %10.1f %7.2f %7.2f %7.2f ", BENCH_NAME, us, ratio(bench_hand, bench_primal, times), ratio(bench_c, bench_primal, times),
         ratio(bench_c, bench_hand, times));
  if (bench_fortran)
    printf("%7.2f %7.2f %9.0f %9.0f %9.0f\n", ratio(bench_fortran, bench_primal_fortran, times), ratio(bench_fortran, bench_hand, times), hand, c,
           memory(bench_fortran));
  else
    printf("%7s %7s %9.0f %9.0f\n", "", "", hand, c);
  return bad;
}
