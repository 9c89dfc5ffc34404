/* Times primal, adjoint by hand and generated adjoints of each kernel in one process, and counts the memory that they ask for. The table of kernels
   is put in front of this text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 31 };

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

/* The median of gradient time over primal time, the primal timed right before; or of one gradient's over another's. */
static double ratio(void (*primal)(void), void (*gradient)(void), int times) {
  double r[ROUNDS];
  for (int k = 0; k < ROUNDS; k++) {
    double before = seconds(primal, times);
    r[k] = seconds(gradient, times) / before;
  }
  qsort(r, ROUNDS, sizeof r[0], by_size);
  return r[ROUNDS / 2];
}

/* The most that a gradient asks for, in kB. */
static double memory(void (*gradient)(void)) {
  size_t before = present;
  peak = present;
  gradient();
  return (double)(peak - before) / 1e3;
}

static double distance(const double *a, const double *b) {
  double d = 0;
  for (int i = 0; i < LENGTH; i++)
    d = fmax(d, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
  return d;
}

int main(void) {
  int bad = 0;
  printf("%-12s %8s %8s %8s %8s %8s %10s %10s %10s\n", "kernel", "hand", "C", "Fortran", "C/hand", "F/hand", "hand kB", "C kB",
         "Fortran kB");
  for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
    struct kernel q = kernels[k];
    q.fill();
    memset(generated, 0, sizeof generated);
    memset(generated_fortran, 0, sizeof generated_fortran);
    for (int i = 0; i < LENGTH; i++)
      weights[i] = 0.3 + 0.1 * cos(i);
    memset(by_hand, 0, sizeof by_hand);
    q.hand();
    const double *all[] = {generated, generated_fortran};
    void (*runs[])(void) = {q.c, q.fortran};
    for (int j = 0; j < 2; j++) {
      runs[j]();
      if (!(distance(all[j], by_hand) <= 1e-10)) {
        printf("%s: the %s gradient is off by %g\n", q.name, j ? "Fortran" : "C", distance(all[j], by_hand));
        bad = 1;
      }
    }
    double stack = memory(q.c), fortran = memory(q.fortran);
    printf("%-12s %8.2f %8.2f %8.2f %8.2f %8.2f %10.0f %10.0f %10.0f\n", q.name, ratio(q.primal, q.hand, q.times), ratio(q.primal, q.c, q.times),
           ratio(q.primal_fortran, q.fortran, q.times), ratio(q.hand, q.c, q.times), ratio(q.hand, q.fortran, q.times), memory(q.hand), stack, fortran);
  }
  return bad;
}
