//: head lu(b)/(a,b)
//: int n = 80
//: active double a[n * n] = i / n == i % n ? n + sin(i) : cos(1.7 * i)
//: inout double b[n] = 1 + 0.3 * sin(2.0 * i)
/* Solves a dense system by Gaussian elimination without pivoting; b is the right-hand side, then the solution. */
#include <stdlib.h>
#include <string.h>

static void eliminate(int n, double *m)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = m[i * n + k] / m[k * n + k];
            m[i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                m[i * n + j] -= factor * m[k * n + j];
        }
}

void lu(int n, const double *a, double *b)
{
    double *m = malloc(n * n * sizeof *m);
    memcpy(m, a, n * n * sizeof *m);
    eliminate(n, m);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= m[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= m[i * n + j] * b[j];
        b[i] /= m[i * n + i];
    }
    free(m);
}
