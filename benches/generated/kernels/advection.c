//: head advection(u)/(u,v)
//: int n = 400
//: int steps = 40
//: in double r = 0.5
//: active double v[n] = 0.3 + 0.6 * sin(0.031 * i)
//: inout double u[n] = sin(0.11 * i) + 0.4 * cos(0.29 * i)
/* Upwind advection on a ring with slopes limited by minmod. The velocity is that of the face behind a cell, and may change its sign. */
#include <math.h>

static double minmod(double a, double b)
{
    if (a * b <= 0)
        return 0;
    return fabs(a) < fabs(b) ? a : b;
}

void advection(int n, int steps, double r, const double *v, double *u)
{
    double slope[n], flux[n];
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            slope[i] = minmod(u[i] - u[(i + n - 1) % n], u[(i + 1) % n] - u[i]);
        for (int i = 0; i < n; i++) {
            int next = (i + 1) % n;
            double c = r * v[i];
            if (c > 0)
                flux[i] = c * (u[i] + 0.5 * (1 - c) * slope[i]);
            else
                flux[i] = c * (u[next] - 0.5 * (1 + c) * slope[next]);
        }
        for (int i = 0; i < n; i++)
            u[i] -= flux[i] - flux[(i + n - 1) % n];
    }
}
