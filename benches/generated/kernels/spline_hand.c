#include <stdlib.h>

/* An evaluation goes forward and back at once. The tridiagonal matrix is symmetric: its transpose is solved with the same factors. */
void spline_hand(int n, int m, const double *restrict y, double *restrict yb, const double *restrict q, double *restrict qb, double seed)
{
    double *restrict s = calloc(3 * n, sizeof *s), *restrict sb = s + n, *restrict g = sb + n;
    for (int i = 1; i < n - 1; i++) {
        g[i] = 1 / (4 - g[i - 1]);
        s[i] = (6 * (y[i + 1] - 2 * y[i] + y[i - 1]) - s[i - 1]) * g[i];
    }
    for (int i = n - 2; i > 0; i--)
        s[i] -= g[i] * s[i + 1];
    for (int i = 0; i < m; i++) {
        int k = (int)q[i];
        k = k < 0 ? 0 : k > n - 2 ? n - 2 : k;
        double b = q[i] - k, a = 1 - b, aa = a * a, bb = b * b, p = a * (aa - 1) / 6, r = b * (bb - 1) / 6;
        double v = 2 * seed * (a * y[k] + b * y[k + 1] + p * s[k] + r * s[k + 1]);
        yb[k] += v * a;
        yb[k + 1] += v * b;
        sb[k] += v * p;
        sb[k + 1] += v * r;
        qb[i] += v * (y[k + 1] - y[k] + ((3 * bb - 1) * s[k + 1] - (3 * aa - 1) * s[k]) / 6);
    }
    sb[0] = sb[n - 1] = 0;
    for (int i = 1; i < n - 1; i++)
        sb[i] = (sb[i] - sb[i - 1]) * g[i];
    for (int i = n - 2; i > 0; i--)
        sb[i] -= g[i] * sb[i + 1];
    yb[0] += 6 * sb[1];
    for (int i = 1; i < n - 1; i++)
        yb[i] += 6 * (sb[i + 1] - 2 * sb[i] + sb[i - 1]);
    yb[n - 1] += 6 * sb[n - 2];
    free(s);
}
