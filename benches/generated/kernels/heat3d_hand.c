#include <stdlib.h>
#include <string.h>

/* Levels are kept; the Laplacian is its own transpose inside, the walls gather at the end of a step from the cells in front of them. */
void heat3d_hand(int n, int steps, double r, const double *restrict source, double *restrict sourceb, double *restrict u, double *restrict ub)
{
    int row = n, plane = n * n, all = n * n * n;
    double *block = calloc((size_t)(steps + 2) * all, sizeof *block), *keep = block, *w = keep + (size_t)steps * all, *next = w + all;
    memcpy(keep, u, all * sizeof *u);
    for (int t = 0; t + 1 < steps; t++) {
        const double *restrict p = keep + (size_t)t * all;
        double *restrict q = keep + (size_t)(t + 1) * all;
        memcpy(q, p, all * sizeof *q);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int c = (i * n + j) * n + 1; c < (i * n + j) * n + n - 1; c++)
                    q[c] = p[c] + r * (p[c - plane] + p[c + plane] + p[c - row] + p[c + row] + p[c - 1] + p[c + 1] -
                                       p[c] * (6 + p[c] * p[c])) + source[c];
    }
    /* w is zero on the walls. */
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            memcpy(w + (i * n + j) * n + 1, ub + (i * n + j) * n + 1, (n - 2) * sizeof *w);
    for (int t = steps; t-- > 0;) {
        const double *restrict p = keep + (size_t)t * all, *restrict a = w;
        double *restrict b = next;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int c = (i * n + j) * n + 1; c < (i * n + j) * n + n - 1; c++) {
                    sourceb[c] += a[c];
                    b[c] = a[c] + r * (a[c - plane] + a[c + plane] + a[c - row] + a[c + row] + a[c - 1] + a[c + 1] - a[c] * (6 + 3 * p[c] * p[c]));
                }
        for (int i = 1; i < n - 1; i++) {
            double *restrict front = ub + i * row, *restrict back = ub + all - plane + i * row;
            const double *restrict f = a + plane + i * row, *restrict g = a + all - 2 * plane + i * row;
            double *restrict top = ub + i * plane, *restrict low = top + plane - row;
            for (int k = 1; k < n - 1; k++) {
                front[k] += r * f[k];
                back[k] += r * g[k];
                top[k] += r * a[i * plane + row + k];
                low[k] += r * a[i * plane + plane - 2 * row + k];
            }
            for (int j = 1; j < n - 1; j++) {
                int c = (i * n + j) * n, d = c + n - 1;
                ub[c] += r * a[c + 1];
                ub[d] += r * a[d - 1];
            }
        }
        double *swap = w;
        w = next;
        next = swap;
    }
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            memcpy(ub + (i * n + j) * n + 1, w + (i * n + j) * n + 1, (n - 2) * sizeof *w);
    free(block);
}
