//: head lupiv(x)/(A,b)
//: result int
//: arg int n = 4
//: arg double A[16] = {0.1, 2.0, -1.0, 0.3, 3.0, 0.2, 0.5, -0.4, 0.7, -0.6, 0.4, 2.5, -0.2, 0.8, 1.9, 0.6}
//: arg double b[4]
//: arg out double x[4]
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#define A_(i,j) a[(i)*n+(j)]
#define SWAP(type, p, q) do { type tmp_ = (p); (p) = (q); (q) = tmp_; } while (0)

/* Gaussian elimination with scaled partial pivoting on a copy; returns 0 on success. */
int lupiv(int n, const double *A, const double *b, double *x)
{
    double *a = malloc(n * n * sizeof *a);
    double *scale = malloc(n * sizeof *scale);
    int *perm = malloc(n * sizeof *perm);
    int i, j, k;

    if (a == NULL || scale == NULL || perm == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (i = 0; i < n * n; i++)
        a[i] = A[i];
    for (i = 0; i < n; i++) {
        double big = 0.0;
        perm[i] = i;
        x[i] = b[i];
        for (j = 0; j < n; j++)
            if (fabs(A_(i, j)) > big)
                big = fabs(A_(i, j));
        scale[i] = 1.0 / big;
    }
    for (k = 0; k < n - 1; k++) {
        int p = k;
        double best = scale[k] * fabs(A_(k, k));
        for (i = k + 1; i < n; i++) {
            double c = scale[i] * fabs(A_(i, k));
            if (c > best) { best = c; p = i; }
        }
        if (p != k) {
            for (j = 0; j < n; j++)
                SWAP(double, A_(p, j), A_(k, j));
            SWAP(double, x[p], x[k]);
            SWAP(double, scale[p], scale[k]);
            SWAP(int, perm[p], perm[k]);
        }
        for (i = k + 1; i < n; i++) {
            double m = A_(i, k) /= A_(k, k);
            for (j = k + 1; j < n; j++)
                A_(i, j) -= m * A_(k, j);
            x[i] -= m * x[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        double s = x[i];
        for (j = i + 1; j < n; j++)
            s -= A_(i, j) * x[j];
        x[i] = s / A_(i, i);
    }
    free(a); free(scale); free(perm);
    return 0;
}
