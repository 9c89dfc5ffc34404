//: head iir(y)/(b,a,x)
//: arg int n = 7
//: arg double b[3]
//: arg double a[2] = -0.3:0.3
//: arg double x[7]
//: arg double y[7]
//: run n=0
//: run n=1
/* Biquad, transposed direct form. */
void iir(int n, const double b[static 3], const double a[static 2], const double *restrict x, double *restrict y) {
  double z1 = 0, z2 = 0;
  while (n-- > 0) {
    const double in = *x++;
    const double out = b[0] * in + z1;
    z1 = b[1] * in - a[0] * out + z2;
    z2 = b[2] * in - a[1] * out;
    *y++ = out;
  }
}
