//: head convolve(out)/(img,ker)
//: arg int h = 4
//: arg int w = 5
//: arg double img[20]
//: arg double ker[9]
//: arg double out[20]
void convolve(int h, int w, const double *img, const double ker[3][3], double *out) {
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) {
      double acc = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          int yy = y + dy, xx = x + dx;
          if (yy < 0 || yy >= h || xx < 0 || xx >= w)
            continue;
          acc += img[yy * w + xx] * ker[dy + 1][dx + 1];
        }
      out[y * w + x] = acc > 0.0 ? acc : 0.1 * acc;
    }
  }
}
