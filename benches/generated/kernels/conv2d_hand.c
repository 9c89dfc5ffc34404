#include <stdlib.h>

static double dot(int n, const double *restrict a, const double *restrict b)
{
    double s[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            s[j] += a[i + j] * b[i + j];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* A row of residuals at a time, which stays in the first cache; loops run along it. */
void conv2d_hand(int n, int k, const double *restrict target, const double *restrict image, double *restrict imageb,
                 const double *restrict kernel, double *restrict kernelb, double seed)
{
    int m = n - k + 1;
    double *restrict e = malloc(m * sizeof *e);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            e[j] = -target[i * m + j];
        for (int p = 0; p < k; p++)
            for (int q = 0; q < k; q++) {
                const double *restrict row = image + (i + p) * n + q;
                double w = kernel[p * k + q];
                for (int j = 0; j < m; j++)
                    e[j] += w * row[j];
            }
        for (int j = 0; j < m; j++)
            e[j] *= seed;
        for (int p = 0; p < k; p++)
            for (int q = 0; q < k; q++) {
                double *restrict row = imageb + (i + p) * n + q, w = kernel[p * k + q];
                for (int j = 0; j < m; j++)
                    row[j] += w * e[j];
                kernelb[p * k + q] += dot(m, e, image + (i + p) * n + q);
            }
    }
    free(e);
}
