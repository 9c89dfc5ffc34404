//: head overwritten_globals(y,og_gain)/(og_gain,og_level,og_table)
//: global double og_gain
//: global double og_level
//: global double og_table[3]
//: arg out double y[1]
double og_gain, og_level, og_table[3];
static void turn(void) {
  double first = og_table[0];
  og_table[0] = og_table[1] * og_gain;
  og_table[1] = og_table[2];
  og_table[2] = first;
}
/* Independents that are overwritten, here and below: what they are in the end counts for nothing. */
void overwritten_globals(double *y) {
  double r = og_gain * og_gain * og_level;
  turn();
  og_gain = 7 * r + og_table[0];
  og_level = og_gain * og_level;
  *y = r + og_table[2] * og_table[0];
}
