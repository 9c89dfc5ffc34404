#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <stdint.h>
#include <stdbool.h>
#include <float.h>
#include <limits.h>

#define N 4
typedef double real;
static const double table[3] = {0.5, -1.25, 3e-1};
static const int offsets[] = {2, 0, 1};
const double scale = 2.5;
double global_sum = 1.0;
static int calls;
int counts[3] = {1, 2, 3};
enum mode { SLOW, FAST = 3 };

double tables(int n, double *x) {
  static const double w[2][2] = {{1, 2}, {3, 4}};
  const double v[] = {0.1, 0.2, 0.3};
  double s = 0;
  for (int i = 0; i < 3; i++) s += table[i] * x[offsets[i]] + v[i] * counts[i];
  return s + w[0][1] * scale + w[1][0] + sizeof v / sizeof v[0] + n;
}

double globals(int n, double *x) {
  calls++;
  global_sum += x[0] * calls;
  return global_sum + n;
}

double local_static(int n, double *x) {
  static int k = 3;
  static double acc;
  k += n;
  acc += x[0] * k;
  return acc;
}

double arrays(int n, double *x) {
  double a[N] = {1, 2}, b[2][3] = {{1}, {2, 3}}, c[] = {x[0], x[1] * 2, n};
  double d[N] = {[2] = 5, 6};
  int e[2] = {7, 8};
  double s = 0;
  for (int i = 0; i < N; i++) s += a[i] * (i + 1) + d[i];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) { b[i][j] += i * 3 + j; s += b[i][j] * c[j]; }
  return s + e[0] * e[1];
}

double vla(int n, double *x) {
  const int m = 2 * n;
  double w[m + 1], a[n][3];
  for (int i = 0; i <= m; i++) w[i] = i * x[i % n];
  for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) a[i][j] = w[i] + j;
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i][2] * a[i][0];
  return s + sizeof a / sizeof(double);
}

double integers(int n, double *x) {
  int a = 7, b = -3;
  unsigned int u = 4000000000u;
  long long big = 1LL << 40;
  unsigned char c = 250;
  short sh = 100;
  double s = 0;
  s += a / b + a % b + (a << 2) + (a >> 1) + (a & 3) + (a | 8) + (a ^ 5) + ~a;
  c += 10;
  s += c;
  s += sh * 1000;
  s += u / 2 + (u > 3000000000u);
  s += big / 3;
  s += 'a' + 0x1F + 010 + '\n';
  s += (int) x[1] + (long) (x[0] * 10);
  a += 2.7;
  s += a;
  a *= 1.5;
  s += a;
  a <<= 1; a |= 1; a ^= 3; a %= 13;
  s += a;
  uint32_t seed = 12345;
  seed = seed * 1664525u + 1013904223u;
  s += seed / 4294967296.0;
  size_t k = n;
  s += k - 1;
  int8_t t = (int8_t) 100;
  s += t;
  return s + INT_MAX / 1e9 + (n == 6) + abs(-4) + labs(-5L);
}

double floats(int n, double *x) {
  float f = x[0], g = 0.1f;
  f = f * 1.1 + g;
  f += x[1];
  float h = (float) (x[0] * x[1]) * 3;
  double d = (double) f * f;
  long double l = x[0];
  l = l * 0.5L;
  return f + h + d + sinf(g) + sin(f) + sqrtf(x[2]) + (double) l + (float) 0.1 + n;
}

double maths(int n, double *x) {
  double a = fabs(x[0]) + 0.5, s = 0;
  s += sin(a) + cos(a) + tan(a) + asin(0.3 * a / 10) + acos(0.2) + atan(a) + atan2(a, 2.0);
  s += sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(1 + a) + atanh(0.1);
  s += exp(a) + exp2(a) + expm1(a) + log(a) + log10(a) + log2(a) + log1p(a);
  s += pow(a, 2) + pow(a, 1.5) + pow(2, a) + sqrt(a) + cbrt(a) + hypot(a, 3);
  s += fmin(a, 1) + fmax(a, 1) + fdim(a, 1) + fma(a, 2, 3) + fmod(7.5, a) + copysign(a, -1.0);
  s += erf(a) + erfc(a) + tgamma(a) + lgamma(a) + floor(a) + ceil(a) + round(a) + trunc(a) + rint(a);
  s += isnan(a) ? 1 : 0;
  s += isfinite(a) ? 1 : 0;
  s += M_PI + DBL_EPSILON + lround(2.5) + (a < INFINITY) + (a < HUGE_VAL) + sqrt(n);
  return s;
}

double pointers(int n, double *x) {
  double s = 0;
  const double *p = x, *end = x + n;
  while (p < end) s += *p++;
  double *q = x + n;
  while (q > x) { --q; *q *= 1.5; }
  s += q - x;
  double *row = &x[1];
  for (int i = 0; i < n - 1; i++) row[i] += row[i - 1];
  for (int i = 0; i < n - 1; i++) { const double *z = x + i; s += z[1] - *z; }
  double y = 3, *py = &y;
  *py += 1;
  s += y + *(x + 2) + 2[x] + *&x[3];
  double m[2][3];
  for (int i = 0; i < 2; i++) { double *r = m[i]; for (int j = 0; j < 3; j++) r[j] = i + 0.1 * j; }
  double *flat = &m[0][0];
  for (int j = 0; j < 3; j++) s += flat[j];
  double (*rows)[3] = m;
  s += rows[1][2] + (*rows)[1];
  double *w = x;
  for (int i = 0; i < n; i++, w++) s += w[0];
  return s;
}

double moving_offset(int n, double *x) {
  int k = 1;
  double *p = x + k;
  k = 3;
  p[0] += 1;
  p[1] += k;
  return x[1] + x[2] + n;
}

static double walk(const double *v, int n) { double s = 0; while (n-- > 0) s = s * 2 + *v++; return s; }
double walking_parameter(int n, double *x) { return walk(x, n) + walk(x + 2, 2) + walk(&x[1], 1); }

double heap(int n, double *x) {
  double *w = malloc(n * sizeof(double));
  double *v = (double *) calloc(n + 1, sizeof *v);
  float *f = malloc(sizeof(float) * 3);
  if (!w || v == NULL) abort();
  if (f == NULL) { free(w); free(v); return -1; }
  for (int i = 0; i < n; i++) { w[i] = x[i] * x[i]; v[i + 1] = v[i] + w[i]; }
  f[0] = x[0]; f[1] = f[0] * 2; f[2] = f[1];
  double s = v[n] + f[2];
  free(f);
  free(v);
  free(w);
  return s;
}

double copies(int n, double *x) {
  double a[6], b[6], c[2][2] = {{1, 2}, {3, 4}}, d[2][2];
  memset(a, 0, sizeof a);
  memcpy(b, x, n * sizeof(double));
  memcpy(a + 1, x, 3 * sizeof *x);
  memset(x, 0, (size_t) 2 * sizeof(double));
  memcpy(d, c, sizeof d);
  memset(c, 0, sizeof(c));
  double s = 0;
  for (int i = 0; i < 6; i++) s += a[i] * (i + 1) + b[i] + x[i];
  return s + d[1][0] + c[1][1] + d[0][1];
}

double chained(int n, double *x) {
  double a, b, c;
  a = b = c = x[0];
  x[0] = x[1] = a + 1;
  int i, k;
  i = k = 2;
  x[i] += x[k++] * 2;
  x[k] -= 1; x[i] /= 2;
  float f; double d = f = 0.1;
  int j = (i = 5) + 1;
  x[i++] = 7; 
  return a + b + c + i + j + k + d + n + x[2];
}

double steps(int n, double *x) {
  int i = 0, j = 0;
  double s = 0;
  while (i < n) { s += x[i++] * (j++ + 1); }
  s += i-- - --j;
  x[0]++; --x[1]; ++x[2];
  s += x[0]++;
  s += x[1]-- * 2;
  return s + i + j;
}

static void two(double a, double *lo, double *hi) { *lo = a - 1; *hi = a + 1; }
static double norm(int n, const double v[]) { double s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return sqrt(s); }
static double trace(int n, double a[n][n]) { double s = 0; for (int i = 0; i < n; i++) s += a[i][i]; return s; }
static double rowsum(int m, const double (*a)[3]) { double s = 0; for (int i = 0; i < m; i++) for (int j = 0; j < 3; j++) s += a[i][j] * (i + 1); return s; }
static void scale_in_place(int n, double *v, double f) { for (int i = 0; i < n; i++) v[i] *= f; }
static double twice(double a) { return 2 * a; }
static int isquare(int k) { return k * k; }
static bool positive(double a) { return a > 0; }
static void add_to(double *s, double v) { *s += v; }
static void pass_on(double *s, double v) { add_to(s, v); add_to(s, 1); }

double calls_of_functions(int n, double *x) {
  double lo, hi, a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, s = 0;
  two(x[0], &lo, &hi);
  two(x[1], &x[2], &x[3]);
  s += lo * hi + norm(n, x) + norm(2, x + 1) + norm(3, a[1]) + norm(3, &a[2][0]);
  s += trace(3, a) + rowsum(3, a) + rowsum(2, &a[1]);
  scale_in_place(n, x, 0.5);
  scale_in_place(2, a[0] + 1, 10);
  s += twice(twice(x[0])) + twice(x[1]) * twice(x[2]) + isquare(n + 1) + isquare(2.9);
  if (positive(x[0]) && positive(s)) s += 1;
  s += positive(x[1]) ? twice(1) : twice(2);
  s += a[0][1] + a[0][2];
  pass_on(&s, 3);
  pass_on(x, 4);
  while (twice(s) < 1000) s = s * 3;
  for (int i = isquare(1); i < isquare(2); i++) s += twice(i);
  return s;
}

double enums(int n, double *x) {
  enum mode m = n > 3 ? FAST : SLOW;
  real r = x[0];
  return (m == FAST) * r + m + (double) SLOW;
}

static struct state { int used; double v[2]; } state;
void unsupported(struct state *s, double *x) { s->v[0] = *x; state.used = 1; }

double conditional_effects(int n, double *x) {
  int i = 0;
  double s = n > 3 ? (i++, x[i]) : twice(x[0]);
  s += (n > 3 && i++ > 5) ? 1 : 2;
  s += n < 3 || (i += 2) ? 0.5 : 0.25;
  return s + i;
}
