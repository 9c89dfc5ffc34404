//: head wave1d(wave1d)/(c)
//: int n = 200
//: int steps = 400
//: in double r = 0.4
//: in double trace[steps] = 0.1 * sin(0.2 * i)
//: active double c[n] = 1 + 0.2 * sin(0.05 * i)
/* Misfit of a recorded trace: a pulse at one place of a string with speeds c is seen at another. The ends are fixed. */
#include <math.h>
#include <stdlib.h>

double wave1d(int n, int steps, double r, const double *trace, const double *c)
{
    double *old = calloc(n, sizeof *old), *now = calloc(n, sizeof *now), *next = calloc(n, sizeof *next), misfit = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            double s = r * c[i];
            next[i] = 2 * now[i] - old[i] + s * s * (now[i - 1] - 2 * now[i] + now[i + 1]);
        }
        double z = 0.1 * t - 2;
        next[n / 3] += (1 - 2 * z * z) * exp(-z * z);
        double e = next[2 * n / 3] - trace[t];
        misfit += 0.5 * e * e;
        double *spare = old;
        old = now;
        now = next;
        next = spare;
    }
    free(old);
    free(now);
    free(next);
    return misfit;
}
