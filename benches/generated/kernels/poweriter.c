//: head poweriter(poweriter)/(a)
//: int n = 40
//: int iterations = 40
//: active double a[n * n] = 1.0 / (1 + abs(i / n - i % n)) + (i / n == i % n ? 0.1 * (i % n) : 0) + 0.01 * sin(i)
/* The largest eigenvalue of a matrix: a fixed number of power iterations, then the Rayleigh quotient. */
#include <math.h>

static void apply(int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

double poweriter(int n, int iterations, const double *a)
{
    double x[n], y[n];
    for (int i = 0; i < n; i++)
        x[i] = 1 / sqrt(n);
    for (int t = 0; t < iterations; t++) {
        double norm = 0;
        apply(n, a, x, y);
        for (int i = 0; i < n; i++)
            norm += y[i] * y[i];
        norm = sqrt(norm);
        for (int i = 0; i < n; i++)
            x[i] = y[i] / norm;
    }
    double quotient = 0;
    apply(n, a, x, y);
    for (int i = 0; i < n; i++)
        quotient += x[i] * y[i];
    return quotient;
}
