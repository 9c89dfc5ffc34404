//: head active_swap(y)/(x)
//: arg int n = 5
//: arg double x[5]
//: arg out double y[5]
static int partition(double *v, int lo, int hi) {
  double pivot = v[hi];
  int i = lo;
  for (int j = lo; j < hi; j++)
    if (v[j] < pivot) {
      double t = v[i];
      v[i++] = v[j];
      v[j] = t;
    }
  double t = v[i];
  v[i] = v[hi];
  v[hi] = t;
  return i;
}
static void quicksort(double *v, int lo, int hi) {
  if (lo >= hi)
    return;
  int p = partition(v, lo, hi);
  quicksort(v, lo, p - 1);
  quicksort(v, p + 1, hi);
}
void active_swap(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * (i + 1);
  quicksort(y, 0, n - 1);
}
