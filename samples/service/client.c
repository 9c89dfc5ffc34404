/* A client for `overbar serve`, with libcurl: sends an XAIF document, prints the one that comes back.

       cc client.c -o client -lcurl
       overbar serve &
       ./client f.xaif adjoint > f_b.xaif                                                           */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, with its length; NULL where it cannot be read. */
static char *contents(const char *path, long *length) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  if (!file)
    return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (*length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
    text = malloc((size_t)*length + 1);
  if (text && fread(text, 1, (size_t)*length, file) != (size_t)*length) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: client FILE tangent|adjoint [SERVER]\n");
    return 2;
  }
  long length = 0;
  char *document = contents(argv[1], &length);
  if (!document) {
    fprintf(stderr, "%s cannot be read\n", argv[1]);
    return 2;
  }
  char address[512];
  snprintf(address, sizeof address, "%s/v1/boost?mode=%s", argc > 3 ? argv[3] : "http://127.0.0.1:8417", argv[2]);
  CURL *curl = curl_easy_init();
  if (!curl) {
    free(document);
    return 2;
  }
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/xml");
  curl_easy_setopt(curl, CURLOPT_URL, address);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, document);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, length);
  /* What comes back goes to standard output, the derivative as well as what is said against one; the status tells which it is. */
  CURLcode sent = curl_easy_perform(curl);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (sent != CURLE_OK)
    fprintf(stderr, "%s\n", curl_easy_strerror(sent));
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  free(document);
  return sent == CURLE_OK && status == 200 ? 0 : 1;
}
