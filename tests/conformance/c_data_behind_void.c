// data behind `void *`
// f/(x,user)
struct data { double a; };
double f(double x, void *user) {
  struct data *d = user;
  return d->a * x * x;
}
