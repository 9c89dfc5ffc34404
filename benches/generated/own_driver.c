/* Times the primal, the adjoint by hand and the generated ones of one kernel in one process, and counts the memory that they ask for. The kernel's data and
   calls stand in front of this text, and what it measures with. */
#include <malloc.h>

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
