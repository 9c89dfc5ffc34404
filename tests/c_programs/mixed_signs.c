//: head mixed_signs(y)/(x)
//: arg int n = 5
//: arg int none = 0
//: arg int step = 2
//: arg double x[9]
//: arg double y[6]
/* Loops and conditions whose integers have signs and others that have none, and strides in either direction. */
void mixed_signs(int n, int none, int step, const double *x, double *y)
{
  unsigned many = (unsigned)n, zero = (unsigned)none, i;
  int calls = 0;
  double p = x[0];
  for (int j = 0; j < 6; j++)
    y[j] = 1;
  if (2u <= zero - 1)
    y[0] = p * x[1];
  for (i = 0; i <= zero - 1; i++) {
    if (i >= 7)
      break;
    y[1] += y[1] * x[i];
  }
  for (i = (unsigned)++calls; i + 1 < many; i++)
    y[2] *= x[i] * x[i + 1];
  y[0] += calls * x[0];
  for (int j = 5; j < n; j += step - 4)
    y[3] += x[j] * x[j] * y[3];
  for (int j = 0; j < n; j += step)
    y[4] *= x[j] * x[j + 1];
  for (int j = 0; j + 1 < n; j++)
    y[5] += x[j] * x[j + 1];
  for (int j = n; j - 1 > 0; j--)
    y[5] *= x[j - 1];
}
