//: head nested_break(nested_break)/(x)
//: result double
//: arg int n = 5
//: arg double x[5]
double nested_break(int n, const double *x) {
  double s = 0.3;
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < n) {
      if (x[j] > 0.9)
        break;
      int k = j;
      do {
        if (k == i) {
          k++;
          continue;
        }
        s += x[i] * x[j] * s * 0.1;
        if (s > 4)
          goto next;
        k += 2;
      } while (k < n);
      switch (j % 3) {
      case 0:
        j++;
        continue;
      case 1:
        s *= 0.9;
        break;
      default:
        j += 2;
      }
      j++;
    }
  next:
    s = s > 3 ? s / x[i] : s + x[i];
  }
  return s;
}
