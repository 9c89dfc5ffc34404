//: head compound(compound)/(x)
//: result double
//: arg double x[3]
#include <math.h>
#define LEN 3
static double norm(const double *v, int n) { double s = 0; for (int i = 0; i < n; ++i) s += v[i] * v[i]; return sqrt(s); }
static void axpy(double a, const double x[static LEN], double y[static LEN]) { for (int i = 0; i < LEN; ++i) y[i] += a * x[i]; }
double compound(const double *x)
{
    double v[LEN] = { [0] = x[0], [2] = x[1] * x[2] };
    double m[2][LEN] = { { 1, 2, x[0] }, { [1] = x[1] } };
    const int idx[] = { [2] = 1, [0] = 2 };
    axpy(0.5, (const double[]){ 1.0, 2.0, 3.0 }, v);
    axpy(x[0], m[0], v);
    axpy(2.0, m[1], v);
    double s = 0;
    for (int i = 0; i < LEN; ++i)
        s += v[idx[i]] * (i + 1);
    return s + norm(v, LEN) + norm((double[2]){ x[0], x[1] }, 2);
}
