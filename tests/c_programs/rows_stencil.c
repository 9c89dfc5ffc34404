//: head rows_stencil(u)/(u,k)
//: arg int n = 5
//: arg int m = 4
//: arg double k[20]
//: arg double u[20]
//: run n=3 m=6
#include <stdlib.h>
/* A variable stands for the place in the grid; memory of as many rows. */
void rows_stencil(int n, int m, const double *k, double *u)
{
    double *next = malloc(n * m * sizeof *next);
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) {
                int c = i * m + j;
                next[c] = u[c] + 0.1 * k[c] * u[c] * (u[c + 1] + u[c - 1] + u[c + m] + u[c - m] - 4 * u[c]);
            }
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = next[i * m + j];
    }
    free(next);
}
