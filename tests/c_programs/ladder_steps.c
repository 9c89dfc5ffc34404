//: head ladder_steps(ladder_steps,y)/(x,y)
//: result double
//: arg int n = 3
//: arg double x[4]
//: arg double y[4]
//: run n=1
/* One expression sets an element and uses others, whatever comes first; functions that a pointer may mean stand beside calls. */
typedef double (*response)(double);

static int ladder_calls;

static double ladder_bend(double x) { return x - x * x * x / 3.0; }

static double ladder_square(double x) { return x * x; }

static double ladder_counted(double x) {
  ladder_calls++;
  return 2.0 * x;
}

double ladder_steps(int n, const double x[4], double y[4]) {
  double t[4] = {0.1, 0.2, 0.3, 0.4}, s = 0.0;
  response r = n > 2 ? ladder_square : ladder_bend;
  for (int k = 1; k < 4; k++) {
    y[k] = y[k - 1] * 0.5 + x[k] * ((t[k - 1] = ladder_bend(x[k])) - (k != 3 ? t[k] : ladder_bend(y[k] * 0.7)));
    s = s + t[0] * y[k];
  }
  s += (t[1] = x[0] * x[0]) * t[2] + t[3] * t[0];
  return s + t[1] + r(x[1]) * ladder_counted(x[2]);
}
