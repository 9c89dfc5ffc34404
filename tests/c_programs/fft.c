//: head fft(re,im)/(re,im)
//: arg int n = 8
//: arg double re[8]
//: arg double im[8]
//: run n=4
//: run n=1
#include <math.h>
void fft(int n, double *re, double *im) {
  int i, j, k, len;
  for (i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j];
      re[j] = t;
      t = im[i];
      im[i] = im[j];
      im[j] = t;
    }
  }
  for (len = 2; len <= n; len <<= 1) {
    double ang = 2.0 * 3.14159265358979323846 / len;
    for (i = 0; i < n; i += len)
      for (k = 0; k < len / 2; k++) {
        double wr = cos(ang * k), wi = sin(ang * k);
        double ur = re[i + k], ui = im[i + k];
        double vr = re[i + k + len / 2] * wr - im[i + k + len / 2] * wi;
        double vi = re[i + k + len / 2] * wi + im[i + k + len / 2] * wr;
        re[i + k] = ur + vr;
        im[i + k] = ui + vi;
        re[i + k + len / 2] = ur - vr;
        im[i + k + len / 2] = ui - vi;
      }
  }
}
