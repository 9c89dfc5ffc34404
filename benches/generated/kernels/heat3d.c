//: head heat3d(u)/(u,source)
//: int n = 18
//: int steps = 10
//: in double r = 0.12
//: active double source[n * n * n] = 0.02 * sin(0.3 * i)
//: inout double u[n * n * n] = sin(0.2 * (i % n)) * cos(0.17 * (i / n % n)) + 0.5 * cos(0.11 * (i / n / n))
/* Steps of nonlinear diffusion with sources and cubic loss in a cube; walls stay as they are. */
#include <stdlib.h>
#include <string.h>

#define U(i, j, k) u[((i) * n + (j)) * n + (k)]

static double laplacian(int n, const double *u, int i, int j, int k)
{
    return U(i - 1, j, k) + U(i + 1, j, k) + U(i, j - 1, k) + U(i, j + 1, k) + U(i, j, k - 1) + U(i, j, k + 1) - 6 * U(i, j, k);
}

void heat3d(int n, int steps, double r, const double *source, double *u)
{
    size_t size = (size_t)n * n * n * sizeof *u;
    double *old = malloc(size);
    for (int t = 0; t < steps; t++) {
        memcpy(old, u, size);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++) {
                    int c = (i * n + j) * n + k;
                    u[c] = old[c] + r * (laplacian(n, old, i, j, k) - old[c] * old[c] * old[c]) + source[c];
                }
    }
    free(old);
}
