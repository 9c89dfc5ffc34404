#include <math.h>
#include <stdlib.h>

/* Levels of u are kept with two cells of the ring repeated at each end, which frees all loops from remainders; slopes are found again on the way
   back. */
static void repeat(int n, double *p)
{
    p[-1] = p[n - 1];
    p[-2] = p[n - 2];
    p[n] = p[0];
    p[n + 1] = p[1];
}

static double minmod(double a, double b)
{
    double least = fabs(a) < fabs(b) ? a : b;
    return a * b <= 0 ? 0 : least;
}

void advection_hand(int n, int steps, double r, const double *restrict v, double *restrict vb, double *restrict u, double *restrict ub)
{
    int m = n + 4;
    double *block = calloc((size_t)(steps + 1) * m + 5 * m, sizeof *block);
    double *level = block + 2, *restrict slope = level + (size_t)(steps + 1) * m, *restrict flux = slope + m, *restrict slopeb = flux + m;
    double *restrict fluxb = slopeb + m, *restrict direct = fluxb + m;
    for (int i = 0; i < n; i++)
        level[i] = u[i];
    repeat(n, level);
    for (int t = 0; t + 1 < steps; t++) {
        const double *restrict p = level + (size_t)t * m;
        double *restrict q = level + (size_t)(t + 1) * m;
        for (int i = 0; i <= n; i++)
            slope[i] = minmod(p[i] - p[i - 1], p[i + 1] - p[i]);
        for (int i = 0; i < n; i++) {
            double c = r * v[i], up = p[i] + 0.5 * (1 - c) * slope[i], down = p[i + 1] - 0.5 * (1 + c) * slope[i + 1];
            flux[i] = c * (c > 0 ? up : down);
        }
        flux[-1] = flux[n - 1];
        for (int i = 0; i < n; i++)
            q[i] = p[i] - (flux[i] - flux[i - 1]);
        repeat(n, q);
    }
    for (int t = steps; t-- > 0;) {
        const double *restrict p = level + (size_t)t * m;
        for (int i = 0; i <= n; i++)
            slope[i] = minmod(p[i] - p[i - 1], p[i + 1] - p[i]);
        for (int i = 0; i < n - 1; i++)
            fluxb[i] = ub[i + 1] - ub[i];
        fluxb[n - 1] = ub[0] - ub[n - 1];
        fluxb[-1] = fluxb[n - 1];
        for (int i = 0; i < n; i++) {
            double c = r * v[i], up = p[i] + (0.5 - c) * slope[i], down = p[i + 1] - (0.5 + c) * slope[i + 1];
            vb[i] += r * fluxb[i] * (c > 0 ? up : down);
        }
        /* A cell gives to the face behind it where the flow there is forward, and to that in front of it where it is backward. */
        for (int i = 0; i < n; i++) {
            double c = r * v[i], d = r * (i > 0 ? v[i - 1] : v[n - 1]);
            double a = c > 0 ? c * fluxb[i] : 0, b = d > 0 ? 0 : d * fluxb[i - 1];
            direct[i] = a + b;
            slopeb[i] = 0.5 * (1 - c) * a - 0.5 * (1 + d) * b;
        }
        slopeb[-1] = slopeb[n - 1];
        slopeb[n] = slopeb[0];
        /* The slope of a cell is the difference to the one before it, to the one behind it, or neither. */
        for (int i = 0; i < n; i++) {
            double l = p[i - 1] - p[i - 2], a = p[i] - p[i - 1], b = p[i + 1] - p[i], g = p[i + 2] - p[i + 1];
            int own = fabs(a) < fabs(b), before = fabs(l) < fabs(a), behind = fabs(b) < fabs(g);
            double s = a * b <= 0 ? 0 : own ? slopeb[i] : -slopeb[i];
            double x = l * a <= 0 || before ? 0 : slopeb[i - 1], y = b * g <= 0 || !behind ? 0 : slopeb[i + 1];
            ub[i] += direct[i] + s + x - y;
        }
    }
    free(block);
}
