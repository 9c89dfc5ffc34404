#include <math.h>
#include <stdlib.h>

/* y += f' m, four rows of m at a time. */
static void add_rows(int n, const double *restrict m, const double *restrict f, double *restrict y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *restrict p = m + i * n, f0 = f[i], f1 = f[i + 1], f2 = f[i + 2], f3 = f[i + 3];
        for (int j = 0; j < n; j++)
            y[j] += f0 * p[j] + f1 * p[n + j] + f2 * p[2 * n + j] + f3 * p[3 * n + j];
    }
    for (; i < n; i++)
        for (int j = 0; j < n; j++)
            y[j] += f[i] * m[i * n + j];
}

/* The vectors of all iterations are kept, and with them the derivatives of all products, so that the matrix is gone through once for the sum of
   outer products. Both products with the matrix run along rows, the forward one with the transposed matrix. */
void poweriter_hand(int n, int iterations, const double *restrict a, double *restrict ab, double seed)
{
    int m = iterations + 1;
    double *block = malloc((n * n + 2 * (size_t)m * n + n + m) * sizeof *block);
    double *restrict t = block, *restrict x = t + n * n, *restrict g = x + (size_t)m * n, *restrict xb = g + (size_t)m * n,
           *restrict inverse = xb + n;
    for (int i = 0; i < n; i++) {
        x[i] = 1 / sqrt(n);
        for (int j = 0; j < n; j++)
            t[j * n + i] = a[i * n + j];
    }
    for (int k = 0; k < m; k++) {
        const double *restrict p = x + k * n;
        double *restrict y = k < iterations ? x + (k + 1) * n : g + k * n, norm = 0;
        for (int i = 0; i < n; i++)
            y[i] = 0;
        add_rows(n, t, p, y);
        if (k == iterations)
            break;
        for (int i = 0; i < n; i++)
            norm += y[i] * y[i];
        inverse[k] = 1 / sqrt(norm);
        for (int i = 0; i < n; i++)
            y[i] *= inverse[k];
    }
    /* The last product is weighed with x itself. */
    double *restrict last = g + iterations * n;
    for (int i = 0; i < n; i++) {
        xb[i] = seed * last[i];
        last[i] = seed * x[iterations * n + i];
    }
    for (int k = iterations; k >= 0; k--) {
        double *restrict q = g + k * n;
        if (k < iterations) {
            const double *restrict p = x + (k + 1) * n;
            double dot = 0;
            for (int i = 0; i < n; i++)
                dot += xb[i] * p[i];
            for (int i = 0; i < n; i++) {
                q[i] = (xb[i] - dot * p[i]) * inverse[k];
                xb[i] = 0;
            }
        }
        if (k > 0)
            add_rows(n, a, q, xb);
    }
    for (int i = 0; i < n; i++) {
        double *restrict row = ab + i * n;
        int k = 0;
        for (; k + 4 <= m; k += 4) {
            const double *restrict p = x + k * n;
            double f0 = g[k * n + i], f1 = g[(k + 1) * n + i], f2 = g[(k + 2) * n + i], f3 = g[(k + 3) * n + i];
            for (int j = 0; j < n; j++)
                row[j] += f0 * p[j] + f1 * p[n + j] + f2 * p[2 * n + j] + f3 * p[3 * n + j];
        }
        for (; k < m; k++)
            for (int j = 0; j < n; j++)
                row[j] += g[k * n + i] * x[k * n + j];
    }
    free(block);
}
