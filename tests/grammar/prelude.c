/* The driver: prepares points, calls, compares. */
#define _GNU_SOURCE
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double _Complex cd;
typedef float _Complex cf;
enum { MOST = 400 };
#define H 1e-20

static int two = 2, five = 5;

struct point {
  long seed;
  int t, single, zero_init, vector;
  const double *in, *v, *w, *g;
  const char *fl, *dep, *ind, *out;
  double val[MOST], der[2][MOST], vnoise[MOST], dnoise[2][MOST];
  double b[MOST], d[2 * MOST];
  float f[MOST], df[2 * MOST];
};

static void complex_step(struct point *p, void run(cd *, cf *), int dir, double by, double *val, double *der) {
  static cd b[MOST];
  static cf f[MOST];
  for (int i = 0; i < p->t; i++) {
    b[i] = CMPLX(p->in[i] * (1.0 + by), p->v[dir * p->t + i] * H);
    f[i] = CMPLXF((float) (p->in[i] * (1.0 + by)), (float) (p->v[dir * p->t + i] * H));
  }
  run(b, f);
  for (int i = 0; i < p->t; i++) {
    cd z = p->fl[i] ? (cd) f[i] : b[i];
    val[i] = creal(z);
    der[i] = cimag(z) / H;
  }
}

/* Static variables of the original start afresh in each process: so does this. */
static int prepare(struct point *p, void run(cd *, cf *)) {
  double unit = p->single ? 1.2e-7 : 2.2e-16;
  int pipes[2];
  /* Each run of the original in a process of its own, since it may keep something. */
  for (int k = 0; k < 4; k++) {
    if (pipe(pipes) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      static double mine[3][MOST];
      feclearexcept(FE_ALL_EXCEPT);
      complex_step(p, run, k % 2, k < 2 ? 0.0 : 4.0 * unit, mine[0], mine[1]);
      /* What becomes infinite on the way has no derivative, even where nobody reads it in the end. */
      mine[2][0] = fetestexcept(FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID) != 0;
      ssize_t done = write(pipes[1], mine, sizeof mine);
      _exit(done == (ssize_t) sizeof mine ? 0 : 1);
    }
    static double mine[3][MOST];
    size_t have = 0;
    close(pipes[1]);
    while (have < sizeof mine) {
      ssize_t got = read(pipes[0], (char *) mine + have, sizeof mine - have);
      if (got <= 0) break;
      have += (size_t) got;
    }
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    if (have < sizeof mine) {
      printf("%ld fault the original died (%d)\n", p->seed, status);
      return 0;
    }
    if (mine[2][0] != 0.0) {
      printf("%ld large\n", p->seed);
      return 0;
    }
    if (k == 0) memcpy(p->val, mine[0], sizeof mine[0]);
    if (k < 2) memcpy(p->der[k], mine[1], sizeof mine[1]);
    if (k == 2) for (int i = 0; i < p->t; i++) p->vnoise[i] = fabs(mine[0][i] - p->val[i]);
    if (k >= 2) for (int i = 0; i < p->t; i++) p->dnoise[k - 2][i] = fabs(mine[1][i] - p->der[k - 2][i]);
  }
  for (int i = 0; i < p->t; i++) {
    double most = p->single ? 1e3 : 1e6;
    if (!(fabs(p->val[i]) < most) || !(fabs(p->der[0][i]) < most) || !(fabs(p->der[1][i]) < most)) {
      printf("%ld large\n", p->seed);
      return 0;
    }
  }
  return 1;
}

static void start(struct point *p, int mode) {
  int each = p->vector ? 2 : 1;
  for (int i = 0; i < p->t; i++) {
    p->b[i] = p->in[i];
    p->f[i] = (float) p->in[i];
    for (int k = 0; k < each; k++) {
      double x;
      if (mode == 0) x = p->ind[i] ? p->v[k * p->t + i] : 0.0;
      else if (p->dep[i]) x = p->w[k * p->t + i];
      else x = p->g[i];
      p->d[i * each + k] = x;
      p->df[i * each + k] = (float) x;
    }
  }
}

static void hold(struct point *p, const char *what, int i, double got, double want, double scale, double noise) {
  double tol = p->single ? 3e-3 : 1e-8;
  if (!(fabs(got - want) <= tol * (1.0 + scale) + 1e3 * noise)) {
    printf("%ld wrong %s %d: %.12g, not %.12g\n", p->seed, what, i, got, want);
  }
}

static void compare(struct point *p, int mode) {
  int each = p->vector ? 2 : 1;
  for (int i = 0; i < p->t; i++) {
    if (p->fl[i]) {
      p->b[i] = p->f[i];
      for (int k = 0; k < each; k++) p->d[i * each + k] = p->df[i * each + k];
    }
  }
  for (int k = 0; k < each; k++) {
    if (mode == 0) {
      for (int i = 0; i < p->t; i++) {
        if (!p->dep[i]) continue;
        if (k == 0) hold(p, "value", i, p->b[i], p->val[i], fabs(p->val[i]), p->vnoise[i]);
        hold(p, "tangent", i, p->d[i * each + k], p->der[k][i], fabs(p->der[k][i]), p->dnoise[k][i]);
      }
      continue;
    }
    double got = 0.0, want = 0.0, scale = 0.0, noise = 0.0;
    for (int i = 0; i < p->t; i++) {
      if (p->ind[i]) {
        double bar = p->d[i * each + k];
        if (!p->dep[i] && !p->zero_init) bar -= p->fl[i] ? (double) (float) p->g[i] : p->g[i];
        got += bar * p->v[k * p->t + i];
        scale += fabs(bar * p->v[k * p->t + i]);
      }
      if (p->dep[i]) {
        double w = p->w[k * p->t + i];
        want += w * p->der[k][i];
        scale += fabs(w * p->der[k][i]);
        noise += fabs(w) * p->dnoise[k][i];
      }
    }
    hold(p, "adjoint", k, got, want, scale, noise);
  }
  printf("%ld done\n", p->seed);
}

static void attempt(long seed, void run(int)) {
  for (int mode = 0; mode < 2; mode++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      run(mode);
      fflush(stdout);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) printf("%ld died mode %d status %d\n", seed, mode, status);
  }
}
