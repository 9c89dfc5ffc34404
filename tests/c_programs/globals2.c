//: head globals2(out)/(in)
//: arg int n = 3
//: global double in[3]
//: global double out[3]
double in[3], out[3];
static double state, gain;
static int count;
static void reset(void) {
  state = 1.0;
  gain = 0.5;
  count = 0;
}
static double filter(double v) {
  state = state * gain + v;
  count++;
  if (count > 1)
    gain *= v;
  return state;
}
void globals2(int n) {
  reset();
  for (int i = 0; i < n; i++) {
    out[i] = filter(in[i]);
    out[i] *= filter(in[n - 1 - i]);
  }
  for (int i = n; i < 3; i++)
    out[i] = 0;
}
