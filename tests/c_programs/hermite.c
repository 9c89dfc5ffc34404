//: head hermite(out)/(x,y,xi)
//: arg int n = 5
//: arg double x[5] = {0, 1, 2.2, 3.1, 4}
//: arg double y[5]
//: arg int m = 3
//: arg double xi[3] = {0.4, 2.5, 3.3}
//: arg out double out[3]
#include <math.h>
#include <stdlib.h>
#include <assert.h>
/* PCHIP (Fritsch-Carlson) */
#define SGN(v) (((v) > 0) - ((v) < 0))
static double edge(double h0, double h1, double d0, double d1)
{
    double d = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (SGN(d) != SGN(d0)) d = 0;
    else if (SGN(d0) != SGN(d1) && fabs(d) > 3 * fabs(d0)) d = 3 * d0;
    return d;
}
void hermite(int n, const double *x, const double *y, int m, const double *xi, double *out)
{
    assert(n > 2 && "too few points");
    double *h = malloc((n - 1) * sizeof *h), *del = malloc((n - 1) * sizeof *del), *d = malloc(n * sizeof *d);
    for (int k = 0; k < n - 1; k++) {
        h[k] = x[k + 1] - x[k];
        del[k] = (y[k + 1] - y[k]) / h[k];
    }
    d[0] = edge(h[0], h[1], del[0], del[1]);
    d[n - 1] = edge(h[n - 2], h[n - 3], del[n - 2], del[n - 3]);
    for (int k = 1; k < n - 1; k++) {
        if (del[k - 1] * del[k] <= 0) { d[k] = 0; continue; }
        double w1 = 2 * h[k] + h[k - 1], w2 = h[k] + 2 * h[k - 1];
        d[k] = (w1 + w2) / (w1 / del[k - 1] + w2 / del[k]);
    }
    int k = 0;
    for (int i = 0; i < m; i++) {
        while (k < n - 2 && xi[i] >= x[k + 1]) k++;
        double s = xi[i] - x[k];
        double c = (3 * del[k] - 2 * d[k] - d[k + 1]) / h[k], b = (d[k] - 2 * del[k] + d[k + 1]) / (h[k] * h[k]);
        out[i] = y[k] + s * (d[k] + s * (c + s * b));
    }
    free(h), free(del), free(d);
}
