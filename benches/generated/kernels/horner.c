//: head horner(y)/(c,x)
//: int n = 6000
//: int degree = 12
//: active double c[(degree + 1)] = cos(i) / (1 + i)
//: active double x[n] = sin(0.37 * i)
//: out double y[n]
/* A polynomial at many points by Horner's rule. */

static double polynomial(int degree, const double *c, double x)
{
    double p = c[degree];
    for (int k = degree - 1; k >= 0; k--)
        p = p * x + c[k];
    return p;
}

void horner(int n, int degree, const double *c, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = polynomial(degree, c, x[i]);
}
