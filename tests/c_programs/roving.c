//: head roving(roving)/(x)
//: result double
//: arg int n = 6
//: arg double x[6]
//: run n=6
//: run n=4
//: run n=1
#include <math.h>

static void fill(int n, const double *from, double *to) {
  for (int i = 0; i < n; i++)
    to[i] = sin(from[i]) + 0.5 * to[i];
}

static double total(int n, const double *p) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * p[i];
  return s;
}

double roving(int n, const double *x) {
  double a[8], b[8], c[8], s = 0;
  for (int i = 0; i < 8; i++) {
    a[i] = 0.1 * i;
    b[i] = 0.3;
    c[i] = 1.0 - 0.2 * i;
  }

  /* One after the other: the text says where it is. */
  double *p;
  for (p = a; p < a + n; p++)
    *p += x[p - a];
  for (p = b + 1; p < b + n; p++)
    *p = *p * p[-1] + x[0];
  p = c;
  *p++ = x[0] * a[0];
  *p = x[n - 1] * b[0];

  /* A chain of layers: what one leaves is what the next one takes. */
  const double *in = x;
  for (int k = 0; k < 3; k++) {
    double *out = k % 2 ? b : a;
    fill(n, in, out);
    in = out;
  }
  s += total(n, in);

  /* Chosen by branches. */
  double *q = a;
  if (x[0] > 0.2)
    q = b + 1;
  else if (n > 5)
    q = c;
  for (int i = 0; i + 1 < n; i++)
    s += q[i] * x[i];
  switch (n) {
  case 6:
    q = c + 2;
    break;
  case 4:
    q = a;
    /* fall through */
  default:
    q++;
    break;
  }
  s += q[0] * q[1];
  q = x[0] < 0.9 ? a : c;
  s = s * (1 + q[n - 1]);

  /* Buffers that change places, given first somewhere else. */
  double *old, *now, *t;
  old = a;
  now = b;
  for (int k = 0; k < n; k++) {
    for (int i = 1; i < n; i++)
      now[i] = 0.5 * old[i] + 0.25 * old[i - 1] * x[k];
    t = old;
    old = now;
    now = t;
    if (k == 3) {
      now = c;
      continue;
    }
    now[0] += old[0] * 0.1;
  }
  s += total(n, old) + total(n, now);

  /* Walks on, wherever it is. */
  double *w = a;
  for (int i = 0; i < n; i++) {
    if (i == 2)
      w = c + 1;
    s += *w * x[i];
    w++;
    if (i == 3)
      w = w - 2;
  }
  return s;
}
