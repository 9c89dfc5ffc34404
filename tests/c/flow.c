#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>

/* if and else, nested */
double if_else(int n, double *x) {
  double s = 0; // the sum
  for (int i = 0; i < n; i++) {
    if (x[i] > 1.0) s += x[i];
    else if (x[i] < 0) { s -= x[i]; }
    else
      s *= 1.5;
  }
  return s;
}

double while_break_continue(int n, double *x) {
  int i = -1;
  double s = 0;
  while (1) {
    i++;
    if (i >= n) break;
    if (x[i] < 0.5) continue;
    s += sqrt(x[i]);
  }
  return s;
}

double do_loop(int n, double *x) {
  int i = 0;
  double p = 1;
  do {
    if (x[i] == 0.0) continue;
    p *= x[i];
  } while (++i < n);
  return p;
}

double for_forms(int n, double *x) {
  double s = 0;
  int i, j;
  for (i = n - 1; i >= 0; i--) s = s * 0.5 + x[i];
  for (i = 0, j = n - 1; i < j; i++, j--) s += x[i] * x[j];
  for (i = 0; i < n; i += 2) { if (x[i] > 2) continue; s += i; }
  for (double t = 0.1; t < 1.0; t *= 2) s += t;
  for (;;) { if (s > 10) break; s += 3; }
  i = 1;
  for (; i < n; ) { s += x[i]; i = i * 2; }
  for (i = 0; i != 4; ++i) s += 0.25;
  for (i = 0; n > i; i = i + 3) s -= 0.125;
  for (size_t k = n; k-- > 0; ) s += k * x[k];
  for (i = 0; i < n && x[i] < 3; i++) s += 1;
  for (int m = 2 * n; m > n; --m) { if (m == n + 2) m--; s += m; }
  return s;
}

double switches(int n, double *x) {
  double s = 0;
  enum { A, B, C = 4, D };
  for (int i = -1; i < 9; i++) {
    switch (i) {
    case A: s += 1; break;
    default: s += 100; /* in the middle */
    case B:
    case 2: s += 10; if (s > 150) break; s += x[0]; break;
    case 3: { s += 1000; break; }
    case C: s -= 5; continue;
    case D: s -= 7;
    }
    s += 0.5;
  }
  switch (n) { case 1: return 1; case 6: break; default: return -1; }
  return s;
}

double gotos(int n, double *x) {
  double s = 0;
  int i = 0;
again:
  if (i >= n) goto done;
  s += x[i] * x[i];
  i++;
  if (s > 1000) goto fail;
  goto again;
fail:
  s = -1;
done:
  return s;
}

double early_return(int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      if (x[i] < x[j]) return x[i] - x[j];
    }
  }
  return 7;
}

double shadow(int n, double *x) {
  double t = 1;
  { double t = x[0]; { double t = x[1]; x[2] = t; } x[3] = t; }
  for (int i = 0; i < n; i++) { double t = x[i]; x[i] = 2 * t; }
  for (int i = 0; i < n; i++) t += x[i];
  return t;
}

double logic(int n, double *x) {
  double s = 0;
  int flag = x[0] > 0 && x[1] > 0;
  int other = !(x[0] > 1) || n == 2;
  if (flag && !other) s = 1;
  if (n > 2 && x[2] > 0.1 && (x[3] < 9 || x[4] < 0)) s += 2;
  s += (x[0] > x[1]) + 2 * (x[1] > x[0]);
  s += flag ? x[0] : x[1];
  int i = 0;
  if (i++ == 0 && i++ == 1) s += i;
  if (i-- == 5 || --i == 0) s += 10 * i;
  s += n > 100 ? x[1000] : 3;
  _Bool b = 5;
  s += b;
  b = x[0];
  s += b ? 0.5 : 0.25;
  return s + (i = 4, i * 2);
}

double while_side_effects(int n, double *x) {
  double s = 0;
  int k = n;
  while (k--) { if (k == 2) continue; s += x[k] * k; }
  int m = 0;
  while ((m = m + 2) < n) s += m;
  k = n;
  do { s += 1; if (k == 3) continue; s += 0.5; } while (--k);
  return s;
}

double messages(int n, double *x) {
  assert(n > 0);
  if (n < 0) { fprintf(stderr, "bad %d\n", n); exit(1); }
  if (x[0] > 1e30) printf("x = %g\n", x[0]);
  (void) n;
  return x[0];
}

static double fact(int n) { return n <= 1 ? 1.0 : n * fact(n - 1); }

double recursion(int n, double *x) { return fact(n) + x[0]; }

double duff_free(int n, double *x) {
  double s = 0;
  switch (n % 4) {
    case 3: s += x[3];
    /* fall through */
    case 2: s += x[2];
    case 1: s += x[1];
    case 0: s += x[0];
  }
  return s;
}

double do_once(int n, double *x) {
#define SWAP(a, b) do { double t_ = a; a = b; b = t_; } while (0)
  SWAP(x[0], x[1]);
  if (n > 2) SWAP(x[1], x[2]); else SWAP(x[0], x[2]);
  return x[0] + 10 * x[1];
}

double nested_breaks(int n, double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; ; j++) {
      if (j > i) break;
      switch (j) { case 1: continue; case 2: if (i == 3) break; s += 1; break; default: s += 0.125; }
      s += x[j];
      if (s > 40) return s;
    }
    if (x[i] > 100) break;
  }
  return s;
}

double dead_code(int n, double *x) {
  if (n > 3) {
    return x[0];
    x[0] = 5;
  }
  goto end;
  x[1] = 2;
end:
  return x[1];
  x[2] = 3;
}
