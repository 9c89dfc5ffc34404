//: head sortnet(sortnet)/(x)
//: int rows = 80
//: int n = 32
//: active double x[rows * n] = sin(3.7 * i) + 1e-4 * i
//: in double weight[n] = 1 / (1.0 + i)
/* Weighted sums of order statistics: each row goes through a bitonic sorting network; n is a power of two. */

static void exchange(double *a, double *b)
{
    if (*a > *b) {
        double t = *a;
        *a = *b;
        *b = t;
    }
}

double sortnet(int rows, int n, const double *x, const double *weight)
{
    double sum = 0;
    for (int r = 0; r < rows; r++) {
        double v[n];
        for (int i = 0; i < n; i++)
            v[i] = x[r * n + i];
        for (int size = 2; size <= n; size *= 2)
            for (int gap = size / 2; gap > 0; gap /= 2)
                for (int i = 0; i < n; i++) {
                    int other = i ^ gap;
                    if (other > i) {
                        if ((i & size) == 0)
                            exchange(&v[i], &v[other]);
                        else
                            exchange(&v[other], &v[i]);
                    }
                }
        for (int i = 0; i < n; i++)
            sum += weight[i] * v[i] * v[i];
    }
    return sum;
}
