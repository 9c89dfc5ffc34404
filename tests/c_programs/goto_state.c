//: head goto_state(y)/(x,y)
//: arg int n = 7
//: arg double x[7]
//: arg double y[1]
void goto_state(int n, const double *x, double *y) {
  int i = 0;
start:
  if (i == n)
    goto end;
  if (x[i] < 0.5)
    goto low;
high:
  *y = *y * x[i];
  i++;
  if (i < n && x[i] >= 0.7)
    goto high;
  goto start;
low:
  *y += x[i] * x[i];
  i++;
  if (i < n && x[i] < 0.4)
    goto low;
  goto start;
end:
  *y = *y * *y;
}
