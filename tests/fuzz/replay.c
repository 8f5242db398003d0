// Passes every file of a corpus to the reader of its format. scripts/fuzz makes the corpus: files that together execute
// all code of the readers that the fuzzer has reached. This is a regression test. usage: replay CORPUS
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { LARGEST = 1 << 20 };

static int replay_folder(const char *corpus, const char *format) {
  char path[2048];
  static uint8_t data[LARGEST];
  int count = 0;
  snprintf(path, sizeof path, "%s/%s", corpus, format);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%.900s/%.100s/%.900s", corpus, format, entry->d_name);
    FILE *file = fopen(path, "rb");
    if (!file) continue;
    const size_t size = fread(data, 1, LARGEST, file);
    fclose(file);
    fuzz_one(data, size);
    count++;
  }
  if (folder) closedir(folder);
  return count;
}

int main(int count, char **words) {
  int formats = 0, files = 0;
  DIR *corpus = count == 2 ? opendir(words[1]) : NULL;
  if (!corpus) {
    fprintf(stderr, "usage: replay CORPUS\n");
    return 2;
  }
  for (struct dirent *entry; (entry = readdir(corpus));) {
    if (entry->d_name[0] == '.') continue;
    if (!fuzz_choose(entry->d_name)) {
      fprintf(stderr, "%s: no reader for %s\n", words[1], entry->d_name);
      return 1;
    }
    files += replay_folder(words[1], entry->d_name);
    formats++;
  }
  closedir(corpus);
  printf("%d files of %d formats\n", files, formats);
  return files > 0 ? 0 : 1;
}
