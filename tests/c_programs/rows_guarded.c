//: head rows_guarded(y)/(x)
//: arg int n = 3
//: arg int m = 4
//: arg double x[12]
//: arg double y[12]
#include <math.h>
/* Neighbours where there are any. */
void rows_guarded(int n, int m, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i * m + j] = x[i * m + j] * x[i * m + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double left = 0, below = 0;
            if (j > 0)
                left = y[i * m + j - 1];
            if (i < n - 1)
                below = x[(i + 1) * m + j];
            y[i * m + j] += sin(left) * below;
        }
}
