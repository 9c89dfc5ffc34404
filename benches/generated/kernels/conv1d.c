//: head conv1d(y)/(x,kernel,bias)
//: int channels = 4
//: int filters = 6
//: int n = 400
//: int width = 7
//: active double x[channels * n] = sin(0.21 * i)
//: active double kernel[filters * channels * width] = 0.2 * cos(1.7 * i)
//: active double bias[filters] = 0.05 * i
//: out double y[filters * (n - width + 1)]
/* One-dimensional convolution of channels with filters, followed by a leaky rectifier. */

static double leaky(double z) { return z > 0 ? z : 0.1 * z; }

void conv1d(int channels, int filters, int n, int width, const double *x, const double *kernel, const double *bias, double *y)
{
    int m = n - width + 1;
    for (int f = 0; f < filters; f++)
        for (int i = 0; i < m; i++) {
            double z = bias[f];
            for (int c = 0; c < channels; c++)
                for (int k = 0; k < width; k++)
                    z += kernel[(f * channels + c) * width + k] * x[c * n + i + k];
            y[f * m + i] = leaky(z);
        }
}
