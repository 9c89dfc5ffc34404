/* Times primal, adjoint by hand and generated adjoints of each kernel in one process, and counts the memory that they ask for. The table of kernels
   is put in front of this text. */
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
    printf("%-12s %8.2f %8.2f %8.2f %8.2f %8.2f %10.0f %10.0f %10.0f\n", q.name, ratio(q.hand, q.primal, q.times), ratio(q.c, q.primal, q.times),
           ratio(q.fortran, q.primal_fortran, q.times), ratio(q.c, q.hand, q.times), ratio(q.fortran, q.hand, q.times), memory(q.hand), stack, fortran);
  }
  return bad;
}
