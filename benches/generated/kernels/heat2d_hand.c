#include <stdlib.h>
#include <string.h>

/* All levels of u are kept for the derivative of kappa. The matrix of a step is symmetric, so that its transpose is a gather, too: w is the
   adjoint inside and zero on the boundary, whose own adjoint only gathers. */
void heat2d_hand(int nx, int ny, int steps, double r, const double *restrict kappa, double *restrict kappab, double *restrict u,
                 double *restrict ub)
{
    int n = nx * ny;
    double *block = malloc(((size_t)steps * n + 4 * (size_t)n) * sizeof *block);
    double *keep = block, *w = keep + (size_t)steps * n, *next = w + n, *east = next + n, *south = east + n, g = 0.5 * r;
    /* Coefficients of the faces behind a point. */
    for (int c = 0; c < n; c++) {
        east[c] = c + 1 < n ? g * (kappa[c] + kappa[c + 1]) : 0;
        south[c] = c + ny < n ? g * (kappa[c] + kappa[c + ny]) : 0;
    }
    memcpy(keep, u, n * sizeof *u);
    for (int t = 0; t + 1 < steps; t++) {
        const double *restrict p = keep + (size_t)t * n;
        double *restrict q = keep + (size_t)(t + 1) * n;
        memcpy(q, p, n * sizeof *q);
        for (int i = 1; i < nx - 1; i++)
            for (int c = i * ny + 1; c < (i + 1) * ny - 1; c++)
                q[c] = p[c] + (east[c] * (p[c + 1] - p[c]) + east[c - 1] * (p[c - 1] - p[c]) + south[c] * (p[c + ny] - p[c]) +
                               south[c - ny] * (p[c - ny] - p[c]));
    }
    memset(w, 0, 2 * n * sizeof *w);
    for (int i = 1; i < nx - 1; i++)
        memcpy(w + i * ny + 1, ub + i * ny + 1, (ny - 2) * sizeof *w);
    for (int t = steps; t-- > 0;) {
        const double *restrict p = keep + (size_t)t * n, *restrict a = w;
        double *restrict b = next;
        for (int i = 1; i < nx - 1; i++) {
            for (int c = i * ny + 1; c < (i + 1) * ny - 1; c++) {
                double e = a[c + 1] - a[c], o = a[c - 1] - a[c], s = a[c + ny] - a[c], m = a[c - ny] - a[c];
                b[c] = a[c] + (east[c] * e + east[c - 1] * o + south[c] * s + south[c - ny] * m);
                kappab[c] -= g * ((p[c + 1] - p[c]) * e + (p[c - 1] - p[c]) * o + (p[c + ny] - p[c]) * s + (p[c - ny] - p[c]) * m);
            }
            int c = i * ny, d = c + ny - 1;
            ub[c] += east[c] * a[c + 1];
            kappab[c] -= g * (p[c + 1] - p[c]) * a[c + 1];
            ub[d] += east[d - 1] * a[d - 1];
            kappab[d] -= g * (p[d - 1] - p[d]) * a[d - 1];
        }
        for (int j = 1; j < ny - 1; j++) {
            int c = j, d = n - ny + j;
            ub[c] += south[c] * a[c + ny];
            kappab[c] -= g * (p[c + ny] - p[c]) * a[c + ny];
            ub[d] += south[d - ny] * a[d - ny];
            kappab[d] -= g * (p[d - ny] - p[d]) * a[d - ny];
        }
        double *swap = w;
        w = next;
        next = swap;
    }
    for (int i = 1; i < nx - 1; i++)
        memcpy(ub + i * ny + 1, w + i * ny + 1, (ny - 2) * sizeof *w);
    free(block);
}
