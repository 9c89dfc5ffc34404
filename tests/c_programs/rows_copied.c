//: head rows_copied(u)/(u)
//: arg int n = 3
//: arg double u[27]
//: run n=2
#include <stdlib.h>
/* All elements in one loop. */
void rows_copied(int n, double *u)
{
    double *old = malloc(n * n * n * sizeof *old);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < n * n * n; k++)
            old[k] = u[k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n; j++)
                for (int k = 0; k < n - 1; k++) {
                    int c = (i * n + j) * n + k;
                    u[c] = old[c] * old[c + 1] + old[c - n] * old[c + n * n];
                }
    }
    free(old);
}
