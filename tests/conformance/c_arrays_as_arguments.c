// arrays as arguments
// f(y)/(x)
void f(const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++)
    y[i] = x[i] * x[2 - i];
}
