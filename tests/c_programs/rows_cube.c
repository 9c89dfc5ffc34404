//: head rows_cube(s)/(x)
//: arg int n = 2
//: arg int m = 3
//: arg int l = 4
//: arg double x[24]
//: arg double s[1]
#include <math.h>
/* Planes of rows, in place. */
void rows_cube(int n, int m, int l, const double *x, double *s)
{
    double w[n * m * l];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                w[(i * m + j) * l + k] = x[(i * m + j) * l + k] * x[(i * m + j) * l + k];
    *s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            for (int k = l - 2; k >= 0; k--) {
                w[(i * m + j) * l + k] += w[(i * m + j - 1) * l + k + 1] * w[(i * m + j) * l + k];
                *s += sin(w[(i * m + j) * l + k]);
            }
}
