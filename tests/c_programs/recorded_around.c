//: head recorded_around(recorded_around,b,w)/(m,b,w,x)
//: result double
//: arg int n = 3
//: arg double m[9]
//: arg double b[3]
//: arg double w[3]
//: arg double x[4]
#include <math.h>
/* Elements that a loop overwrites again and again: in the second nest there is none where there is no iteration. */
double recorded_around(int n, const double *m, double *b, double *w, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += b[i] * b[i] * w[i] * w[i];
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++)
            b[i] -= m[i * n + j] * b[j];
    for (int k = 0; k < 2; k++)
        for (int j = k; j < n - 3; j++)
            w[n - 4] = 0.5 * x[j] - x[0];
    for (int i = 0; i < n; i++)
        s += b[i] * b[i] + w[i] * w[i] * w[i];
    return s;
}
