//: head simpson(area)/(a,w)
//: int n = 60
//: int m = 20
//: in double length = 2
//: active double a[n] = 0.5 + 0.2 * sin(0.3 * i)
//: active double w[n] = 1 + 0.5 * cos(0.2 * i)
//: out double area[n]
/* Simpson's rule over m double intervals for n damped oscillations. */
#include <math.h>

static double integrand(double t, double a, double w) { return exp(-a * t) * sin(w * t) / (1 + t * t); }

static double integral(int m, double length, double a, double w)
{
    double h = length / (2 * m), sum = integrand(0, a, w) + integrand(length, a, w);
    for (int i = 1; i < 2 * m; i++)
        sum += (i % 2 == 1 ? 4 : 2) * integrand(i * h, a, w);
    return sum * h / 3;
}

void simpson(int n, int m, double length, const double *a, const double *w, double *area)
{
    for (int i = 0; i < n; i++)
        area[i] = integral(m, length, a[i], w[i]);
}
