//: head unsigned_bytes(y)/(x)
//: arg double x[4]
//: arg out double y[3]
void unsigned_bytes(const double *x, double *y) {
  unsigned char c = 250;
  for (int i = 0; i < 3; i++) {
    y[i] = x[c & 3] * x[c & 3] * c;
    c = (unsigned char)(c + 3);
  }
}
