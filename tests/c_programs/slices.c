//: head slices(y)/(x,y)
//: arg int n = 4
//: arg int m = 3
//: arg double x[5]
//: arg double y[1]
//: run m=1
//: run n=1
#include <math.h>

/* Work arrays that are set again and again: as a whole, in part, for some rounds only, in other orders. Their old values are read without being linear each time, so
   each value that goes missing is a wrong derivative. */
void slices(int n, int m, const double x[restrict 5], double y[restrict 1]) {
  double w[5], v[5], q[3][5], r[5][5], s = y[0], u = 0.0;
  /* all of w, twice: behind the second loop nobody needs what the first one has left */
  for (int i = 0; i < 5; i++) w[i] = x[i] * x[i] + 0.1 * s;
  for (int i = 0; i < 5; i++) s += sin(w[i]) * w[i];
  for (int i = 4; i >= 0; i--) w[i] = 0.5 * x[i] + s * 0.01;
  for (int i = 0; i < 5; i++) s += w[i] * w[4 - i];
  /* all but one */
  for (int i = 0; i < 4; i++) w[i] = cos(s * x[i]);
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  for (int i = 1; i < 5; i++) w[i] = x[i] * s;
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  /* every other one */
  for (int i = 0; i < 5; i += 2) w[i] = s * x[i];
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  /* up to n only, which is less than there is */
  for (int i = 0; i < n; i++) w[i] = x[i] * sin(s);
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  /* under a condition; with a round that ends early; with a loop that does */
  for (int i = 0; i < 5; i++)
    if (x[i] > 0.6) w[i] = s * x[i];
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  for (int i = 0; i < 5; i++) {
    if (x[i] < 0.5) continue;
    w[i] = x[i] + s;
  }
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  for (int i = 0; i < 5; i++) {
    if (i == n) break;
    w[i] = x[i] * exp(-s);
  }
  for (int i = 0; i < 5; i++) s += 0.1 * sin(w[i] * w[i]);
  s = sin(s);
  /* read before it is set, in the same round; only read in a later statement of it */
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < 5; i++) {
      u = w[i] * x[i];
      w[i] = u * u + 0.1 * s;
    }
    for (int i = 0; i < 5; i++) {
      v[i] = x[i] * s;
      s += 0.05 * sin(v[i] * w[i]) * v[i];
    }
    for (int i = 0; i < 5; i++) {
      v[i] = sin(x[i] + k);
      w[i] = v[i] * w[i];
      v[i] = v[i] * w[i];
    }
    for (int i = 0; i < 5; i++) s += 0.1 * v[i] * v[i];
    s = sin(s);
    /* the same element in each round of an inner loop */
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < n; j++) {
        v[i] = w[i] * x[j];
        w[i] = 0.3 * v[i] * v[i] + x[i];
      }
      s += 0.01 * v[i] * w[i];
    }
    s = sin(s);
  }
  /* rows and columns */
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 5; i++) q[j][i] = x[i] * x[j];
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 5; i++) s += 0.02 * q[j][i] * q[j][i];
      for (int i = 0; i < 5; i++) q[j][i] = x[i] * s;
      s += 0.1 * sin(q[j][n]);
      for (int i = 0; i < n; i++) q[j][i] = x[i] * q[j][i] * 0.5;
    }
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 3; j++) {
        s += 0.02 * q[j][i] * q[j][i];
        q[j][i] = x[i] + s;
      }
    s = sin(s);
    for (int i = 0; i < 5; i++) q[1][i] = sin(q[1][i] + q[0][i]);
  }
  for (int i = 0; i < 5; i++) s += 0.02 * q[1][i] * q[2][i];
  /* a triangle and a diagonal are not all */
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) r[i][j] = x[i] * x[j];
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) s += 0.01 * r[i][j] * r[i][j];
    for (int i = 0; i < 5; i++)
      for (int j = 0; j <= i; j++) r[i][j] = x[i] * s;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) s += 0.01 * r[i][j] * r[i][j];
    for (int i = 0; i < 5; i++) r[i][i] = x[i] - 0.1 * s;
    s = sin(s);
  }
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) s += 0.01 * r[i][j] * r[i][j];
  y[0] = s;
}
