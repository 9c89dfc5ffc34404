//: head stencil(u)/(u,k)
//: arg int n = 5
//: arg int m = 4
//: arg double k[20]
//: arg double u[20]
//: run n=3 m=6
//: head columns(up,down)/(tau,ground)
//: arg int n = 3
//: arg int m = 4
//: arg double tau[12]
//: arg double ground[3]
//: arg double up[15]
//: arg double down[15]
//: head cube(s)/(x)
//: arg int n = 2
//: arg int m = 3
//: arg int l = 4
//: arg double x[24]
//: arg double s[1]
//: head crossing(y)/(x)
//: arg int n = 4
//: arg double x[20]
//: arg double y[20]
//: head guarded(y)/(x)
//: arg int n = 3
//: arg int m = 4
//: arg double x[12]
//: arg double y[12]
//: head copied(u)/(u)
//: arg int n = 3
//: arg double u[27]
//: run n=2
/* Arrays whose rows are laid out by hand, and some of which only look like that. */
#include <math.h>
#include <stdlib.h>

/* A variable stands for the place in the grid; memory of as many rows. */
void stencil(int n, int m, const double *k, double *u)
{
    double *next = malloc(n * m * sizeof *next);
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int c = i * m + j;
                next[c] = u[c] + 0.1 * k[c] * u[c] * (u[c + 1] + u[c - 1] + u[c + m] + u[c - m] - 4 * u[c]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = next[i * m + j];
    }
    free(next);
}

/* Rows by pointers, with one element more than there are layers; that there is one follows from an array beside it. */
void columns(int n, int m, const double *tau, const double *ground, double *up, double *down)
{
    for (int c = 0; c < n; c++) {
        double t[m], a[m + 1];
        for (int i = 0; i < m; i++)
            t[i] = exp(-tau[c * m + i]);
        a[m] = ground[c];
        for (int i = m - 1; i >= 0; i--)
            a[i] = 0.1 + t[i] * t[i] * a[i + 1];
        double *d = down + c * (m + 1), *u = up + c * (m + 1);
        d[0] = 1;
        for (int i = 0; i < m; i++)
            d[i + 1] = t[i] * d[i];
        for (int i = 0; i <= m; i++)
            u[i] = a[i] * d[i];
    }
}

/* Planes of rows, in place. */
void cube(int n, int m, int l, const double *x, double *s)
{
    double w[n * m * l];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                w[(i * m + j) * l + k] = x[(i * m + j) * l + k] * x[(i * m + j) * l + k];
    *s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            for (int k = l - 2; k >= 0; k--) {
                w[(i * m + j) * l + k] += w[(i * m + j - 1) * l + k + 1] * w[(i * m + j) * l + k];
                *s += sin(w[(i * m + j) * l + k]);
            }
}

/* Each row goes one element into the next one: no rows. */
void crossing(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            if (i * n + j + 1 < n * n)
                y[i * n + j + 1] = y[i * n + j] * x[i * n + j] + x[j];
}

/* Neighbours where there are any. */
void guarded(int n, int m, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i * m + j] = x[i * m + j] * x[i * m + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double left = 0, below = 0;
            if (j > 0)
                left = y[i * m + j - 1];
            if (i < n - 1)
                below = x[(i + 1) * m + j];
            y[i * m + j] += sin(left) * below;
        }
}

/* All elements in one loop. */
void copied(int n, double *u)
{
    double *old = malloc(n * n * n * sizeof *old);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < n * n * n; k++)
            old[k] = u[k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n; j++)
                for (int k = 0; k < n - 1; k++) {
                    int c = (i * n + j) * n + k;
                    u[c] = old[c] * old[c + 1] + old[c - n] * old[c + n * n];
                }
    }
    free(old);
}
