//: head gausskernel(gausskernel)/(x,weight,width)
//: int n = 90
//: int d = 3
//: active double width = 0.7
//: active double x[n * d] = sin(2.3 * i) + 0.002 * i
//: active double weight[n] = cos(0.9 * i)
/* Quadratic form of weights with the Gaussian kernel of all pairs of points. */
#include <math.h>

static double squared_distance(int d, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < d; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

double gausskernel(int n, int d, double width, const double *x, const double *weight)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < i; j++)
            row += weight[j] * exp(-squared_distance(d, x + i * d, x + j * d) / (2 * width * width));
        total += weight[i] * (weight[i] + 2 * row);
    }
    return total;
}
