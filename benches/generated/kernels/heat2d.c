//: head heat2d(u)/(u,kappa)
//: int nx = 40
//: int ny = 40
//: int steps = 20
//: in double r = 0.1
//: active double kappa[nx * ny] = 1 + 0.3 * sin(0.1 * i)
//: inout double u[nx * ny] = cos(0.2 * (i % ny)) * sin(0.15 * (i / ny))
/* Explicit steps of heat conduction on a grid with a conductivity at each point; the boundary keeps its temperature. */
#include <stdlib.h>

static double flux(double ka, double kb, double ua, double ub) { return 0.5 * (ka + kb) * (ub - ua); }

void heat2d(int nx, int ny, int steps, double r, const double *kappa, double *u)
{
    double *next = malloc(nx * ny * sizeof *next);
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++) {
                int c = i * ny + j;
                next[c] = u[c] + r * (flux(kappa[c], kappa[c + 1], u[c], u[c + 1]) + flux(kappa[c], kappa[c - 1], u[c], u[c - 1]) +
                                      flux(kappa[c], kappa[c + ny], u[c], u[c + ny]) + flux(kappa[c], kappa[c - ny], u[c], u[c - ny]));
            }
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                u[i * ny + j] = next[i * ny + j];
    }
    free(next);
}
