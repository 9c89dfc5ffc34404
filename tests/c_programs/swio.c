//: head swio(out,in,work)/(in)
//: arg int n = 5
//: arg int steps = 3
//: arg double in[5]
//: arg double work[5]
//: arg out double out[5]
//: run steps=2
//: run steps=0
#include <string.h>
static void step(int n, const double *a, double *b)
{
    b[0] = a[0];
    b[n - 1] = a[n - 1];
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i] + 0.2 * (a[i - 1] - 2 * a[i] * a[i] + a[i + 1]);
}
void swio(int n, int steps, double *in, double *work, double *out)
{
    double *a = in, *b = work;
    for (int s = 0; s < steps; s++) {
        step(n, a, b);
        double *t = a;
        a = b;
        b = t;
    }
    memcpy(out, a, n * sizeof(double));
}
