//: head heat3d(heat3d)/(u0,alpha)
//: result double
//: arg int nx = 4
//: arg int ny = 3
//: arg int nz = 4
//: arg int nt = 2
//: arg double alpha = 0.05:0.1
//: arg double u0[48]
//: run nt=3
#include <stdlib.h>
#include <string.h>
#define IDX(i, j, k) (((i) * ny + (j)) * nz + (k))
double heat3d(int nx, int ny, int nz, int nt, double alpha, const double *u0)
{
    size_t total = (size_t)nx * ny * nz;
    double *u = (double *)malloc(total * sizeof(double));
    double *un = (double *)malloc(total * sizeof(double));
    memcpy(u, u0, total * sizeof(double));
    memcpy(un, u0, total * sizeof(double));
    for (int t = 0; t < nt; t++) {
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++) {
                    double lap = u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)]
                               + u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)]
                               + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)]
                               - 6.0 * u[IDX(i, j, k)];
                    un[IDX(i, j, k)] = u[IDX(i, j, k)] + alpha * lap * (1 + u[IDX(i, j, k)]);
                }
        double *tmp = u; u = un; un = tmp;
    }
    double e = 0;
    for (size_t p = 0; p < total; ++p)
        e += u[p] * u[p];
    free(u);
    free(un);
    return 0.5 * e;
}
