//: head spline(spline)/(y,q)
//: int n = 200
//: int m = 12000
//: active double y[n] = sin(0.13 * i) + 0.3 * cos(0.7 * i)
//: active double q[m] = fmod(0.617 * i + 0.3, 199.0)
/* Sum of squares of a natural cubic spline with knots 0, 1, .. n - 1 at m places: second derivatives by a tridiagonal solution, then
   evaluations. */
#include <stdlib.h>

static void second_derivatives(int n, const double *y, double *s)
{
    double *g = malloc(n * sizeof *g);
    s[0] = s[n - 1] = 0;
    g[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double pivot = 4 - g[i - 1];
        g[i] = 1 / pivot;
        s[i] = (6 * (y[i + 1] - 2 * y[i] + y[i - 1]) - s[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 0; i--)
        s[i] -= g[i] * s[i + 1];
    free(g);
}

static double evaluate(int n, const double *y, const double *s, double at)
{
    int k = (int)at;
    if (k < 0)
        k = 0;
    if (k > n - 2)
        k = n - 2;
    double b = at - k, a = 1 - b;
    return a * y[k] + b * y[k + 1] + ((a * a * a - a) * s[k] + (b * b * b - b) * s[k + 1]) / 6;
}

double spline(int n, int m, const double *y, const double *q)
{
    double *s = malloc(n * sizeof *s), sum = 0;
    second_derivatives(n, y, s);
    for (int i = 0; i < m; i++) {
        double v = evaluate(n, y, s, q[i]);
        sum += v * v;
    }
    free(s);
    return sum;
}
