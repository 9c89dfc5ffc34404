//: head wave1d(trace)/(u0,c)
//: arg int n = 6
//: arg int nt = 4
//: arg double u0[6]
//: arg double c
//: arg out double trace[4]
//: run nt=3
#include <stdlib.h>
#define SWAP3(a, b, c) do { double *t_ = a; a = b; b = c; c = t_; } while (0)
void wave1d(int n, int nt, const double *u0, double c, double *trace)
{
    double *buf = calloc(3 * n, sizeof(double));
    double *um = buf, *u = buf + n, *up = buf + 2 * n;
    for (int i = 0; i < n; i++)
        um[i] = u[i] = u0[i];
    for (int t = 0; t < 4; t++) trace[t] = 0;
    for (int t = 0; t < nt; t++) {
        for (int i = 1; i < n - 1; i++)
            up[i] = 2 * u[i] - um[i] + c * c * (u[i + 1] - 2 * u[i] + u[i - 1]) * u[i];
        up[0] = up[n - 1] = 0.0;
        SWAP3(um, u, up);
        trace[t] = u[n / 2];
    }
    free(buf);
}
