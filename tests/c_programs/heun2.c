//: head heun2(y,work)/(y,p)
//: arg int n = 3
//: arg int steps = 4
//: arg double y[3]
//: arg double p[3]
//: arg double work[9]
//: run steps=3
#include <math.h>
static void rhs(const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0] + p[1] * y[1] * y[2];
    f[2] = p[2] * y[1] * y[1];
    f[1] = -f[0] - f[2];
}
/* caller gives the work space; old and new exchange roles */
void heun2(int n, int steps, double *y, const double *p, double *work)
{
    double *a = y, *b = work, *f0 = work + n, *f1 = f0 + n;
    const double h = 0.02;
    for (int s = 0; s < steps; s++) {
        rhs(a, p, f0);
        for (int i = 0; i < n; i++) b[i] = a[i] + h * f0[i];
        rhs(b, p, f1);
        for (int i = 0; i < n; i++) b[i] = a[i] + 0.5 * h * (f0[i] + f1[i]);
        double *t = a; a = b; b = t;
    }
    if (steps % 2 != 0)
        for (int i = 0; i < n; i++) y[i] = a[i];
}
