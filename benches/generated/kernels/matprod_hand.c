#include <stdlib.h>

/* A' C^ and C^ B', with B transposed once so that both run along rows; four rows of C^ at a time share what is loaded. The product itself is not
   needed. */
void matprod_hand(int n, int m, int p, const double *restrict a, double *restrict ab, const double *restrict b, double *restrict bb,
                  double *restrict c, double *restrict cb)
{
    double *restrict t = malloc(m * p * sizeof *t);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < p; j++)
            t[j * m + k] = b[k * p + j];
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        double *restrict x0 = ab + i * m, *restrict x1 = x0 + m, *restrict x2 = x1 + m, *restrict x3 = x2 + m;
        const double *restrict s0 = cb + i * p, *restrict s1 = s0 + p, *restrict s2 = s1 + p, *restrict s3 = s2 + p;
        const double *restrict a0 = a + i * m, *restrict a1 = a0 + m, *restrict a2 = a1 + m, *restrict a3 = a2 + m;
        int j = 0;
        for (; j + 2 <= p; j += 2) {
            const double *restrict u = t + j * m, *restrict v = u + m;
            double f0 = s0[j], f1 = s1[j], f2 = s2[j], f3 = s3[j], g0 = s0[j + 1], g1 = s1[j + 1], g2 = s2[j + 1], g3 = s3[j + 1];
            for (int k = 0; k < m; k++) {
                x0[k] += f0 * u[k] + g0 * v[k];
                x1[k] += f1 * u[k] + g1 * v[k];
                x2[k] += f2 * u[k] + g2 * v[k];
                x3[k] += f3 * u[k] + g3 * v[k];
            }
        }
        for (; j < p; j++)
            for (int k = 0; k < m; k++) {
                x0[k] += s0[j] * t[j * m + k];
                x1[k] += s1[j] * t[j * m + k];
                x2[k] += s2[j] * t[j * m + k];
                x3[k] += s3[j] * t[j * m + k];
            }
        for (int k = 0; k < m; k++) {
            double *restrict y = bb + k * p, f0 = a0[k], f1 = a1[k], f2 = a2[k], f3 = a3[k];
            for (int q = 0; q < p; q++)
                y[q] += f0 * s0[q] + f1 * s1[q] + f2 * s2[q] + f3 * s3[q];
        }
    }
    for (; i < n; i++) {
        for (int j = 0; j < p; j++)
            for (int k = 0; k < m; k++)
                ab[i * m + k] += cb[i * p + j] * t[j * m + k];
        for (int k = 0; k < m; k++)
            for (int q = 0; q < p; q++)
                bb[k * p + q] += a[i * m + k] * cb[i * p + q];
    }
    for (int q = 0; q < n * p; q++)
        cb[q] = 0;
    free(t);
}
