//: head matprod(c)/(a,b)
//: int n = 56
//: int m = 48
//: int p = 64
//: active double a[n * m] = sin(0.3 * i)
//: active double b[m * p] = cos(0.7 * i)
//: out double c[n * p]
/* Product of two dense matrices, each element a sum over the inner index. */

void matprod(int n, int m, int p, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += a[i * m + k] * b[k * p + j];
            c[i * p + j] = sum;
        }
}
