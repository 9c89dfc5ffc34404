#include <stdlib.h>

/* Two numbers a step are kept. Back, the derivative of a rate is a sum over the three steps that use it: the method runs the other way round.
   Brackets keep all but the newest numbers off the chain from step to step. */
void adams_hand(int steps, double h, double growth, double *restrict growthb, double eaten, double *restrict eatenb, double death,
                double *restrict deathb, double fed, double *restrict fedb, const double *restrict start, double *restrict startb, double seed)
{
    double *restrict keep = malloc(2 * (size_t)(steps + 1) * sizeof *keep);
    double x = start[0], y = start[1], u1 = 0, v1 = 0, u2 = 0, v2 = 0, c0 = 23 * h / 12, c1 = -16 * h / 12, c2 = 5 * h / 12;
    for (int t = 0; t < steps; t++) {
        double u = x * (growth - eaten * y), v = y * (fed * x - death);
        keep[2 * t] = x;
        keep[2 * t + 1] = y;
        if (t < 2) {
            x += h * u;
            y += h * v;
        } else {
            x = (x + (c1 * u1 + c2 * u2)) + c0 * u;
            y = (y + (c1 * v1 + c2 * v2)) + c0 * v;
        }
        u2 = u1;
        v2 = v1;
        u1 = u;
        v1 = v;
    }
    keep[2 * steps] = x;
    keep[2 * steps + 1] = y;
    /* a, b: derivatives by the state behind the step; those with numbers are of the steps that come later. */
    double a = 0, b = 0, a1 = 0, b1 = 0, a2 = 0, b2 = 0, gb = 0, eb = 0, db = 0, fb = 0, w = 2 * h * seed;
    for (int t = steps; t-- > 0;) {
        double e0 = t < 2 ? h : c0, e1 = t < 1 ? 0 : c1;
        b += w * keep[2 * t + 3];
        x = keep[2 * t];
        y = keep[2 * t + 1];
        double u = (e1 * a1 + c2 * a2) + e0 * a, v = (e1 * b1 + c2 * b2) + e0 * b, ux = u * x, vy = v * y;
        gb += ux;
        eb += ux * y;
        db += vy;
        fb += vy * x;
        a2 = a1;
        b2 = b1;
        a1 = a;
        b1 = b;
        a = (a + u * (growth - eaten * y)) + v * (fed * y);
        b = (b + v * (fed * x - death)) - u * (eaten * x);
    }
    *growthb += gb;
    *eatenb -= eb;
    *deathb -= db;
    *fedb += fb;
    startb[0] += a;
    startb[1] += b;
    free(keep);
}
