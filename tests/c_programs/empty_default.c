//: head empty_default(y)/(x)
//: arg int n = 4
//: arg double x[4]
//: arg double y[4]
void empty_default(int n, const double x[n], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    switch (i % 4) {
    case 0:
      y[i] *= x[0];
      break;
    case 1:
      y[i] += x[i];
      /* fall through */
    default:
      /* nothing */;
    }
    switch (i % 3) {
    case 0:
      y[i] = y[i] * x[i];
      break;
    case 1:
    case 2:
      /* fall through */
    default:;
    }
  }
}
