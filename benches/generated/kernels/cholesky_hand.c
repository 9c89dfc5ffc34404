#include <math.h>
#include <stdlib.h>

/* The adjoint is known: with x = A^-1 b, b gets -x and A gets (x x' - A^-1) / 2, of which the lower triangle is doubled off the diagonal. A^-1 =
   M' M with M = L^-1: a third of n^3 twice, in loops over contiguous rows. */
void cholesky_hand(int n, const double *restrict a, double *restrict ab, const double *restrict b, double *restrict bb, double seed)
{
    double *block = calloc(2 * n * n + n, sizeof *block), *restrict l = block, *restrict m = l + n * n, *restrict x = m + n * n;
    /* The factor by columns, stored as rows: l[k * n + i] = L(i, k). The updates run along them. */
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            l[j * n + i] = a[i * n + j];
    for (int k = 0; k < n; k++) {
        double *restrict p = l + k * n, r = 1 / sqrt(p[k]);
        for (int i = k; i < n; i++)
            p[i] *= r;
        for (int j = k + 1; j < n; j++) {
            double f = p[j], *restrict q = l + j * n;
            for (int i = j; i < n; i++)
                q[i] -= f * p[i];
        }
    }
    /* m = L^-1 by forward substitution with the unit matrix: row j of m is final when it is scaled, then goes to the rows below. */
    for (int j = 0; j < n; j++) {
        const double *restrict p = l + j * n;
        double *restrict q = m + j * n, r = 1 / p[j];
        q[j] = 1;
        for (int c = 0; c <= j; c++)
            q[c] *= r;
        for (int i = j + 1; i < n; i++) {
            double f = p[i], *restrict s = m + i * n;
            for (int c = 0; c <= j; c++)
                s[c] -= f * q[c];
        }
    }
    for (int k = 0; k < n; k++) {
        double *restrict q = m + k * n, y = 0;
        for (int i = 0; i <= k; i++)
            y += q[i] * b[i];
        for (int i = 0; i <= k; i++)
            x[i] += y * q[i];
    }
    /* ab += seed (x x' - M' M), half of it on the diagonal. */
    for (int i = 0; i < n; i++) {
        double *restrict row = l;
        for (int j = 0; j <= i; j++)
            row[j] = x[i] * x[j];
        for (int k = i; k < n; k++) {
            double f = m[k * n + i], *restrict q = m + k * n;
            for (int j = 0; j <= i; j++)
                row[j] -= f * q[j];
        }
        row[i] *= 0.5;
        for (int j = 0; j <= i; j++)
            ab[i * n + j] += seed * row[j];
        bb[i] -= seed * x[i];
    }
    free(block);
}
