#include <stdlib.h>
#include <string.h>

/* Two half kicks in a row are one, and the force matrix is symmetric: back as forward, with the stretches d of each step kept. */
static void back_kick(int n, double h, double alpha, const double *restrict d, const double *restrict vb, double *restrict xb, double *restrict sum)
{
    double total = 0;
    /* d, vb have a zero neighbour outside: vb[-1] and vb[n]. The stiffness of spring i is between masses i - 1 and i. */
    for (int i = 0; i < n; i++)
        xb[i] += h * ((1 + 3 * alpha * d[i + 1] * d[i + 1]) * (vb[i + 1] - vb[i]) - (1 + 3 * alpha * d[i] * d[i]) * (vb[i] - vb[i - 1]));
    for (int i = 0; i <= n; i++)
        total -= d[i] * d[i] * d[i] * (vb[i] - vb[i - 1]);
    *sum += h * total;
}

void leapfrog_hand(int n, int steps, double h, double alpha, double *restrict alphab, double *restrict x, double *restrict xb,
                   double *restrict v, double *restrict vb)
{
    int m = n + 1;
    double *block = malloc(((size_t)(steps + 1) * m + 2 * n + 2) * sizeof *block);
    double *restrict keep = block, *restrict p = keep + (size_t)(steps + 1) * m + 1;
    for (int t = 0; t <= steps; t++) {
        double *restrict d = keep + (size_t)t * m, g = t == 0 || t == steps ? 0.5 * h : h;
        d[0] = x[0];
        for (int i = 1; i < n; i++)
            d[i] = x[i] - x[i - 1];
        d[n] = -x[n - 1];
        if (t == steps)
            break;
        for (int i = 0; i < n; i++) {
            double r = d[i + 1], l = d[i];
            v[i] += g * (r + alpha * r * r * r - l - alpha * l * l * l);
            x[i] += h * v[i];
        }
    }
    double sum = 0;
    p[-1] = p[n] = 0;
    memcpy(p, vb, n * sizeof *p);
    for (int t = steps; t >= 0; t--) {
        back_kick(n, t == 0 || t == steps ? 0.5 * h : h, alpha, keep + (size_t)t * m, p, xb, &sum);
        if (t > 0)
            for (int i = 0; i < n; i++)
                p[i] += h * xb[i];
    }
    memcpy(vb, p, n * sizeof *p);
    *alphab += sum;
    free(block);
}
