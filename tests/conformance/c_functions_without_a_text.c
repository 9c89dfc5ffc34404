// functions without a text
// f/(x)
double g(double x);
double f(double x) { return g(x) * x; }
