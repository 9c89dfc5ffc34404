//: head by_value(a,c,p)/(a,b,c,p)
//: arg double b
//: arg int k = 3
//: arg float c[1]
//: arg double a[1]
//: arg double p[2]
void by_value(double b, int k, float *c, double *a, double p[2]) {
  b *= *a;
  while (k > 0) {
    *a += b * p[0];
    b = b * b * 0.5;
    k -= 1;
  }
  *c = (float)(*c * *a);
  p[1] = b * p[0];
  p[0] = k;
}
