//: head brackets(y)/(x,v)
//: arg int i = 1
//: arg double x[9]
//: arg double v
//: arg out double y[9]
void brackets(int i, const double *x, double v, double *y) {
  for (int k = 0; k < 9; k++)
    y[k] = k * v;
  0[y] = v * v;
  1[y + 0] = v * x[0];
  (1 + y)[1] = 0[x + i] * (x + i)[1];
  (i + y)[3] = (x + 1)[i] * i[x + 1];
  5[&y[0]] = (&x[i])[2] * 1[&x[i]];
  0[i + y + 5] = v * y[0];
  0[y + i + 6] *= v;
  2[y + 6] += 8[x] * v;
}
