//: head cholesky(cholesky)/(a,b)
//: int n = 80
//: active double a[n * n] = i / n == i % n ? n + 0.5 * sin(i) : cos(0.3 * (i / n + i % n)) + 0.2 * sin(0.1 * (i / n) * (i % n))
//: active double b[n] = sin(0.4 * i)
/* Gaussian log-density of b, up to a constant: Cholesky factor of the covariance (lower triangle of a), a solve and the determinant. */
#include <math.h>
#include <stdlib.h>

static void factorize(int n, const double *a, double *l)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
}

double cholesky(int n, const double *a, const double *b)
{
    double *l = malloc(n * n * sizeof *l), *y = malloc(n * sizeof *y), density = 0;
    factorize(n, a, l);
    for (int i = 0; i < n; i++) {
        y[i] = b[i];
        for (int j = 0; j < i; j++)
            y[i] -= l[i * n + j] * y[j];
        y[i] /= l[i * n + i];
        density -= 0.5 * y[i] * y[i] + log(l[i * n + i]);
    }
    free(l);
    free(y);
    return density;
}
