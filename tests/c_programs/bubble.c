//: head bubble(x,w)/(x,w)
//: arg int n = 5
//: arg double x[5]
//: arg double w[5]
static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}
void bubble(int n, double *x, double *w) {
  int swapped;
  do {
    swapped = 0;
    for (int i = 0; i + 1 < n; i++)
      if (x[i] > x[i + 1]) {
        swap(&x[i], &x[i + 1]);
        swap(w + i, w + i + 1);
        swapped = 1;
      }
  } while (swapped);
  for (int i = 0; i < n; i++)
    w[i] *= x[i];
}
