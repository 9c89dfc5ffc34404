#include <math.h>
#include <stdlib.h>
#include <stdbool.h>

#define N 4
typedef double real;
enum kind { LINEAR = 1, SQUARE, CUBE = 7 };
static const double table[N] = {1.0, 0.5, 0.25, 0.125};
double scale = 2.0;
static int calls;

static real square(real x) { return x * x; }

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* early return */
double early(double x, int n) {
  if (x < 0)
    return -x;
  for (int i = 0; i < n; i++) {
    if (x > 100)
      return x;
    if (i == 3)
      continue;
    x = x * 1.5 + i;
    if (x > 50)
      break;
  }
  return x;
}

double by_kind(enum kind k, double x) {
  double y = 0;
  switch (k) {
  case LINEAR:
    y = x;
    break;
  case SQUARE:
    y = square(x);
    /* fall through */
  case CUBE:
    y += x * x * x;
    break;
  default:
    y = -1;
  }
  return y;
}

double in_loop(int n, const double *v) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    switch (i % 4) {
    case 0:
      continue;
    case 1:
      s += v[i];
      break;
    case 2:
    case 3:
      if (v[i] < 0)
        goto out;
      s -= v[i] * v[i];
    }
    s *= 1.01;
  }
out:
  return s;
}

void matrix(int n, int m, double a[n][m], const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
  }
}

double use_matrix(int n) {
  double a[n][N], x[N] = {1, 2, 3, 4}, y[n], s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = sin(i + 2 * j) * table[j];
  matrix(n, N, a, x, y);
  for (int i = 0; i < n; i++) s += y[i];
  double *p = &y[0];
  swap(p, &x[1]);
  swap(&s, &x[2]);
  return s + x[1] + x[2] + scale;
}

int count(double x) {
  int k = 0;
  do {
    x /= 2;
    k++;
  } while (x > 1);
  while (k > 3 && x > 0.1) {
    k--;
    x -= 0.05;
  }
  calls++;
  return k;
}

float single(float x, float y) {
  float z = sinf(x) * y + 0.1f;
  z = fmaxf(z, y) + powf(x, 2) + (float)pow(x, 3.5);
  return -(-z);
}

long double wide(long double x) { return sqrtl(x) * 0.1L + fabsl(-x); }

bool odd(unsigned n) {
  bool r = (n & 1u) == 1 && !(n == 3);
  return r || (n >> 2) == 5;
}

double down(size_t n, const double *v) {
  double s = 0;
  for (size_t i = n; i-- > 0;)
    s = s * 0.5 + v[i];
  for (long i = (long)n - 1; i >= 0; i -= 2)
    s += v[i] / (i + 1);
  return s;
}

double ternary(double a, double b, int k) {
  double c = a < b ? a : k > 2 ? b : -a;
  c += a > 0 && (b > 0 || k) ? 1 : 0;
  int q = k++ + (a < b);
  c += q % 3 + k / 2 + (k << 1);
  return c - (a - b) - (a - (b + c)) / (a * (b / 3.0));
}

int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }

double work(int n) {
  double *w = malloc(n * sizeof(double));
  if (!w)
    return -1;
  double *z = calloc(n, sizeof *z);
  for (int i = 0; i < n; i++)
    w[i] = i * 0.5 + z[i];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += w[i];
  free(w);
  free(z);
  return s;
}

double spaghetti(double x, int n) {
  int i = 0;
again:
  x = x * 0.9 + i;
  i++;
  if (i < n)
    goto again;
  for (i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (x > 1000)
        goto done;
      x += i * j;
    }
done:
  return x;
}
