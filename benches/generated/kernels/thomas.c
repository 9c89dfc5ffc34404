//: head thomas(x)/(a,b,c,x)
//: int n = 4000
//: active double a[n] = 0.8 + 0.1 * sin(i)
//: active double b[n] = 2.5 + 0.3 * cos(0.7 * i)
//: active double c[n] = 0.9 + 0.1 * cos(1.3 * i)
//: inout double x[n] = sin(0.05 * i)
/* Solves a tridiagonal system (Thomas algorithm): a below, b on and c above the diagonal; x is the right-hand side, then the solution. */
#include <stdlib.h>

void thomas(int n, const double *a, const double *b, const double *c, double *x)
{
    double *g = malloc(n * sizeof *g);
    double pivot = b[0];
    x[0] /= pivot;
    for (int i = 1; i < n; i++) {
        g[i] = c[i - 1] / pivot;
        pivot = b[i] - a[i] * g[i];
        x[i] = (x[i] - a[i] * x[i - 1]) / pivot;
    }
    for (int i = n - 2; i >= 0; i--)
        x[i] -= g[i + 1] * x[i + 1];
    free(g);
}
