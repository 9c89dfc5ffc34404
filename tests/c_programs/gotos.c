//: head gotos(gotos)/(x)
//: result double
//: arg int n = 6
//: arg double x[6]
double gotos(int n, const double *x) {
  int i = 0, tries = 0;
  double s = 1.0, t = 0.5;
again:
  if (i >= n)
    goto done;
  s *= x[i] + t;
  if (x[i] > 0.7)
    goto big;
  t += s * x[i];
  i++;
  goto again;
big:
  t = t * t;
  i += 1;
  if (tries++ < 3)
    goto again;
  s = s * 2.0;
done:
  for (i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (x[i] * x[j] > 0.6)
        goto out;
      s += x[i] * x[j];
    }
  }
out:
  return s * t;
}
