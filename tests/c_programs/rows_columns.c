//: head rows_columns(up,down)/(tau,ground)
//: arg int n = 3
//: arg int m = 4
//: arg double tau[12]
//: arg double ground[3]
//: arg double up[15]
//: arg double down[15]
#include <math.h>
/* Rows by pointers, with one element more than there are layers; that there is one follows from an array beside it. */
void rows_columns(int n, int m, const double *tau, const double *ground, double *up, double *down)
{
    for (int c = 0; c < n; c++) {
        double t[m], a[m + 1];
        for (int i = 0; i < m; i++)
            t[i] = exp(-tau[c * m + i]);
        a[m] = ground[c];
        for (int i = m - 1; i >= 0; i--)
            a[i] = 0.1 + t[i] * t[i] * a[i + 1];
        double *d = down + c * (m + 1), *u = up + c * (m + 1);
        d[0] = 1;
        for (int i = 0; i < m; i++)
            d[i + 1] = t[i] * d[i];
        for (int i = 0; i <= m; i++)
            u[i] = a[i] * d[i];
    }
}
