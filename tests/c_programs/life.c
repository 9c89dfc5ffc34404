//: head life(out)/(in)
//: arg int w = 4
//: arg int h = 3
//: arg double in[12]
//: arg out double out[12]
/* Repeated 3x3 filter between two images by a pointer table. */
static double at(const double *im, int w, int h, int x, int y) {
  if (x < 0) x = 0;
  if (y < 0) y = 0;
  if (x >= w) x = w - 1;
  if (y >= h) y = h - 1;
  return im[y * w + x];
}
void life(int w, int h, const double *in, double *out) {
  static const float kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      double acc = 0, norm = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          double k = kernel[dy + 1][dx + 1] * at(in, w, h, x + dx, y + dy);
          acc += k * at(in, w, h, x + dx, y + dy);
          norm += k;
        }
      out[y * w + x] = norm > 0 ? acc / norm : 0.0;
    }
}
