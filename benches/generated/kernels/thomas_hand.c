#include <stdlib.h>

/* The derivative of the right-hand side solves the transposed system, with the pivots of the first solution; the matrix gets minus its product
   with x. */
void thomas_hand(int n, const double *restrict a, double *restrict ab, const double *restrict b, double *restrict bb, const double *restrict c,
                 double *restrict cb, double *restrict x, double *restrict xb)
{
    double *block = malloc(2 * (size_t)n * sizeof *block), *restrict g = block, *restrict inverse = g + n;
    inverse[0] = 1 / b[0];
    x[0] *= inverse[0];
    for (int i = 1; i < n; i++) {
        g[i] = c[i - 1] * inverse[i - 1];
        inverse[i] = 1 / (b[i] - a[i] * g[i]);
        x[i] = (x[i] - a[i] * x[i - 1]) * inverse[i];
    }
    for (int i = n - 2; i >= 0; i--)
        x[i] -= g[i + 1] * x[i + 1];
    /* A = L U with U of unit diagonal: first U', then L'. */
    for (int i = 1; i < n; i++)
        xb[i] -= g[i] * xb[i - 1];
    xb[n - 1] *= inverse[n - 1];
    bb[n - 1] -= xb[n - 1] * x[n - 1];
    for (int i = n - 2; i >= 0; i--) {
        double y = (xb[i] - a[i + 1] * xb[i + 1]) * inverse[i];
        xb[i] = y;
        bb[i] -= y * x[i];
        cb[i] -= y * x[i + 1];
        ab[i + 1] -= xb[i + 1] * x[i];
    }
    free(block);
}
