#include <stdlib.h>
#include <string.h>

/* The derivative of the right-hand side solves the transposed system with the same factors; the matrix gets minus its product with the solution. */
void lu_hand(int n, const double *restrict a, double *restrict ab, double *restrict b, double *restrict bb)
{
    double *restrict m = malloc(n * n * sizeof *m);
    memcpy(m, a, n * n * sizeof *m);
    for (int k = 0; k < n; k++) {
        const double *restrict p = m + k * n;
        double r = 1 / p[k];
        for (int i = k + 1; i < n; i++) {
            double *restrict q = m + i * n, f = q[k] * r;
            q[k] = f;
            for (int j = k + 1; j < n; j++)
                q[j] -= f * p[j];
        }
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= m[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= m[i * n + j] * b[j];
        b[i] /= m[i * n + i];
    }
    /* U' then L', by rows: an unknown goes to all that come after it. */
    for (int i = 0; i < n; i++) {
        bb[i] /= m[i * n + i];
        for (int j = i + 1; j < n; j++)
            bb[j] -= m[i * n + j] * bb[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double t = bb[i];
        for (int j = 0; j < i; j++)
            bb[j] -= m[i * n + j] * t;
        for (int j = 0; j < n; j++)
            ab[i * n + j] -= t * b[j];
    }
    free(m);
}
