#include <math.h>
#include <stdlib.h>

/* The levels are kept one behind the other; the adjoint is a wave of the same kind, fed at the receiver, in gather form. */
void wave1d_hand(int n, int steps, double r, const double *restrict trace, const double *restrict c, double *restrict cb, double seed)
{
    double *block = calloc((size_t)(steps + 2) * n + 5 * n, sizeof *block);
    double *level = block, *s = level + (size_t)(steps + 2) * n, *sb = s + n, *a = sb + n, *b = a + n, *d = b + n;
    for (int i = 1; i < n - 1; i++)
        s[i] = r * r * c[i] * c[i];
    for (int t = 0; t < steps; t++) {
        const double *restrict old = level + (size_t)t * n, *restrict now = old + n;
        double *restrict next = level + (size_t)(t + 2) * n;
        for (int i = 1; i < n - 1; i++)
            next[i] = 2 * now[i] - old[i] + s[i] * (now[i - 1] - 2 * now[i] + now[i + 1]);
        double z = 0.1 * t - 2;
        next[n / 3] += (1 - 2 * z * z) * exp(-z * z);
    }
    /* a: adjoint of the level that a step makes, times s where the step takes it; b: of the one before. */
    for (int t = steps; t-- > 0;) {
        const double *restrict now = level + (size_t)(t + 1) * n;
        double *restrict p = a, *restrict q = b, *restrict f = d;
        p[2 * n / 3] += seed * (now[n + 2 * n / 3] - trace[t]);
        for (int i = 1; i < n - 1; i++) {
            sb[i] += p[i] * (now[i - 1] - 2 * now[i] + now[i + 1]);
            f[i] = s[i] * p[i];
        }
        for (int i = 1; i < n - 1; i++) {
            q[i] += 2 * p[i] + (f[i - 1] - 2 * f[i] + f[i + 1]);
            p[i] = -p[i];
        }
        a = q;
        b = p;
    }
    for (int i = 1; i < n - 1; i++)
        cb[i] += 2 * r * r * c[i] * sb[i];
    free(block);
}
