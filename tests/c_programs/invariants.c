//: head invariants(invariants)/(r,x)
//: result double
//: arg int n = 4
//: arg int m = 3
//: arg double r[3]
//: arg double x[4]
//: run n=0
//: run n=1
//: run m=0
//: run n=0 m=0
/* What is the same in all iterations of a loop: statements, inner loops, parts of branches whose condition stays, sums that every iteration starts anew, in loops in
   loops; and what only looks like it: read before it is set, set by others too, behind a condition that changes, needed after a loop without iterations, an index that
   somebody reads later. */
#include <math.h>

static void turn(const double *r, const double *p, double *q) {
  double s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (s > 0.01) {
    double theta = sqrt(s), c = cos(theta), w[3];
    for (int i = 0; i < 3; i++)
      w[i] = r[i] / theta;
    double along = (w[0] * p[0] + w[1] * p[1]) * (1 - c);
    for (int i = 0; i < 2; i++)
      q[i] = p[i] * c + w[i] * along;
  } else {
    double small = r[2] * 0.5;
    q[0] = p[0] - small * p[1];
    q[1] = p[1] + small * p[0];
  }
}

double invariants(int n, int m, const double *restrict r, const double *restrict x) {
  double cost = 0.0, before = r[0] * x[0], both = 1.0, late = 2.0, kept = 0.3, carried = r[1], norm, w[3], table[8];
  int last = 0;
  /* Through a call that is differentiated in place. */
  for (int k = 0; k + 1 < n; k++) {
    double q[2];
    turn(r, &x[k], q);
    cost += q[0] * q[1];
  }
  for (int k = 0; k < n; k++) {
    /* In front of both loops, or of the inner one. */
    for (int j = 0; j < m; j++) {
      double fixed = exp(r[0] * r[1]), row = sin(x[k] * r[2]);
      cost += fixed * row * (j + 1) * x[j];
    }
    /* A sum that starts anew. */
    norm = 0.0;
    for (int i = 0; i < 3; i++)
      norm += r[i] * r[i];
    /* An array that a loop fills. */
    for (int i = 0; i < 3; i++)
      w[i] = sqrt(1.0 + r[i] * r[i]);
    cost += norm * x[k] + w[k % 3] * x[k] * x[k];
    /* Read before it is set. */
    cost += carried * x[k];
    carried = r[0] * r[2];
    /* Set in two places, of which one changes. */
    both = r[1] * r[1];
    if (x[k] > 1.0)
      both = x[k] * r[1];
    cost += both * both;
    /* Behind a condition that changes. */
    if (x[k] > 0.9)
      late = r[2] * r[2] * r[0];
    cost += late * x[k];
    /* What a loop without iterations leaves as it was. */
    before = cos(r[1]);
    for (last = 0; last < m; last++)
      kept = r[2] * 0.7;
    for (int j = 0; j < 8; j++)
      table[j] = tanh(r[0] * j);
    cost += table[2 * k] * last;
  }
  return cost + before * before + kept * late + last * r[0] * r[0] + carried;
}
