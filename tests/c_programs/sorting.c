//: head sorting(x)/(x)
//: arg int n = 6
//: arg double x[6]
//: run n=1
void sorting(int n, double *x) {
  for (int i = 1; i < n; i++) {
    double key = x[i] * x[i];
    int j = i - 1;
    while (j >= 0 && x[j] > key) {
      x[j + 1] = x[j];
      j--;
    }
    x[j + 1] = key;
  }
}
