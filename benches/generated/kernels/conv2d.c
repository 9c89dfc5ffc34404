//: head conv2d(conv2d)/(image,kernel)
//: int n = 60
//: int k = 5
//: in double target[(n - k + 1) * (n - k + 1)] = 0.1 * cos(0.1 * i)
//: active double image[n * n] = sin(0.17 * i) + 0.3 * cos(0.05 * i)
//: active double kernel[k * k] = 0.1 + 0.05 * sin(1.3 * i)
/* Squared distance of a blurred image from a target, the blur a small kernel. */

double conv2d(int n, int k, const double *target, const double *image, const double *kernel)
{
    int m = n - k + 1;
    double cost = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                for (int q = 0; q < k; q++)
                    sum += kernel[p * k + q] * image[(i + p) * n + j + q];
            double e = sum - target[i * m + j];
            cost += 0.5 * e * e;
        }
    return cost;
}
