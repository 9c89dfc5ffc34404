//: head periodic(y,u)/(u)
//: arg int n = 6
//: arg int steps = 3
//: arg double dt = 0.1
//: arg double u[6]
//: arg double y[5]
/* Scalars that follow from the indices of loops. */
#include <math.h>
static void add(int k, double w, const double *u, double *y)
{
  if (k % 2)
    y[0] = y[0] * w * u[k];
  else
    y[0] += w * u[k] * u[k];
}
void periodic(int n, int steps, double dt, double *u, double *y)
{
  double v[8];
  int order[8];
  for (int i = 0; i < 5; i++)
    y[i] = 1;
  for (int i = 0; i < n; i++)
    order[i] = (i * 5 + 2) % n;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      int l = (i + n - 1) % n;
      int r = (i + 1) % n;
      double c = 0.5 * dt;
      v[i] = u[i] - c * u[i] * (u[r] - u[l]);
    }
    for (int i = 0; i < n; i++)
      u[i] = v[i];
  }
  for (int i = 0; i < n; i++) {
    int k = order[i];
    double w = 0.3 * k + 0.1;
    int odd = k % 2;
    if (odd && k > 1) {
      int back = n - 1 - k;
      y[1] = y[1] * u[back] + w * sin(u[k]);
    } else {
      y[1] = sin(y[1]) * w + u[k];
    }
    add(k, w, u, y);
    y[2 + i % 3] *= u[k];
  }
  /* Triangles, left early. */
  for (int i = 0; i < n; i++) {
    int m = n - i, first = i / 2;
    for (int j = first; j < m; j++) {
      int at = (i + j) % n;
      if (at == 3)
        continue;
      if (i + j > 2 * n - 4)
        break;
      y[3] = y[3] * (1 + 0.1 * u[at]) + u[j] * u[first];
    }
  }
  /* What it follows from changes from round to round, and later. */
  int shift = 1, base = 2;
  for (int t = 0; t < steps; t++) {
    int from = base + t, to;
    for (int i = 0; i < n; i++) {
      int k = (i + shift) % n;
      y[4] = y[4] * u[k] + u[(k + from) % n];
    }
    shift = (shift * 2 + 1) % n;
    to = shift % n;
    u[to] = u[to] * u[to] + 0.1;
  }
  base = 0;
  y[4] *= u[base];
}
