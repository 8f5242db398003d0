// Reads a text file by lines and words: see text.h.
#include "mesh/format/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/input_file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"

// Limits for a file. It may have at most LARGEST bytes, and at most 1 / MEMORY_FRACTION of the free memory: its content
// stays in memory while its mesh is built, and a simulation needs far more memory. If a compressed file has TIGHT_FROM
// or more bytes after decompression, their number may be at most TIGHTEST times the compressed size. For mesh files
// this ratio is at most about 50.
static const int64_t LARGEST = INT64_C(1) << 33, TIGHT_FROM = INT64_C(1) << 28;
enum { MEMORY_FRACTION = 4, TIGHTEST = 200 };

static bool too_large(const char *path, int64_t limit, Error *error) {
  return error_set(error, "%s: is larger than %.0f MiB%s, the limit for mesh files", path, (double)limit / 1048576,
                   limit < LARGEST ? " (a quarter of the free memory)" : "");
}

bool text_open(Text *text, const char *path, Error *error) {
  bool ok = false;
  Text made = { .path = path };
  int64_t size = 1, capacity = 0;  // including the line end that is added before the content
  struct stat status;
  errno = 0;
  const int64_t share = (int64_t)memory_bound(memory_of_host()) / MEMORY_FRACTION;
  const int64_t limit = share > 0 && share < LARGEST ? share : LARGEST;
  Error why = { 0 };
  FILE *input = input_file_open(path, INPUT_FILE_OR_PIPE, &why);
  if (!input) return interrupt_check(error) && error_set(error, "%s", why.message);
  const bool large = fstat(fileno(input), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > limit;
  const int descriptor = fcntl(fileno(input), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  fclose(input);

  // gzdopen also opens uncompressed files, whose bytes gzread then returns unchanged.
  gzFile file = !large && descriptor >= 0 ? gzdopen(descriptor, "rb") : NULL;
  if (!file) {
    if (descriptor >= 0) close(descriptor);
    return large ? too_large(path, limit, error) : error_set(error, "%s: %s", path, strerror(errno));
  }
  gzbuffer(file, 1 << 17);

  // read until the end of the file, because the size of a pipe is not known in advance
  for (;;) {
    enum { CHUNK = 1 << 20 };
    void *items = made.data;
    bool grown = array_reserve(&items, &capacity, size + CHUNK + 1, 1, "characters of a file", error);
    made.data = items;
    if (!grown || !interrupt_check(error)) goto done;
    const int got = gzread(file, made.data + size, CHUNK);
    int code;
    const char *why = gzerror(file, &code);
    if (!interrupt_check(error)) goto done;
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      error_set(error, "%s: cannot be read: %s", path,
                code == Z_ERRNO       ? strerror(errno)
                : code == Z_BUF_ERROR ? "the compressed data end too early"
                                      : why);
      goto done;
    }
    size += got;
    if (size > limit) {
      too_large(path, limit, error);
      goto done;
    }
    if (size > TIGHT_FROM && size / TIGHTEST > gzoffset(file)) {
      error_set(error, "%s: unpacks to more than %d times its size; if it is a mesh, unpack it first", path, TIGHTEST);
      goto done;
    }
    if (got == 0) break;
  }

  made.data[0] = '\n';

  // editors of Windows write a byte order mark at the beginning of a text file
  static const char mark[] = "\xef\xbb\xbf";
  const int64_t skipped = sizeof mark - 1;
  if (size > skipped && memcmp(made.data + 1, mark, sizeof mark - 1) == 0) {
    size -= skipped;
    memmove(made.data + 1, made.data + 1 + skipped, (size_t)size - 1);
  }
  made.data[size] = 0;
  made.at = made.data;
  made.end = made.data + size;
  *text = made;
  made = (Text){ 0 };  // ownership passes to the caller
  ok = true;
done:
  text_close(&made);
  gzclose(file);
  return ok;
}

void text_close(Text *text) {
  free(text->data);
  *text = (Text){ 0 };
}

static bool is_blank(const Text *text, char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || (c == text->separator && c);
}

static void skip_blanks(Text *text) {
  while (is_blank(text, *text->at)) text->at++;
}

// Returns the length of the word at the present position, without advancing.
static int word_length(const Text *text) {
  const char *at = text->at;
  while (at < text->end && *at != '\n' && !is_blank(text, *at)) at++;
  return at - text->at < INT32_MAX ? (int)(at - text->at) : INT32_MAX;
}

const char *text_shown(const char *word, int length, char copy[TEXT_SHOWN + 4]) {
  int kept = length < TEXT_SHOWN ? length : TEXT_SHOWN;
  for (int i = 0; i < kept; i++) copy[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
  strcpy(copy + kept, length > TEXT_SHOWN ? "..." : "");
  return copy;
}

bool text_at_end(const Text *text) {
  const char *at = text->at;
  while (at < text->end && (*at == '\n' || is_blank(text, *at))) at++;
  return at == text->end;
}

bool text_line_over(Text *text) {
  skip_blanks(text);
  return text->at == text->end || *text->at == '\n';
}

bool text_next_line(Text *text, const char *what, Error *error) {
  if (!interrupt_check(error)) return false;
  skip_blanks(text);
  if (text->at < text->end && *text->at != '\n') {
    char copy[TEXT_SHOWN + 4];
    return error_set(error, "%s:%d: \"%s\", expected the end of the line", text->path, text->line,
                     text_shown(text->at, word_length(text), copy));
  }
  while (text->at < text->end && *text->at == '\n') {
    text->at++;
    text->line++;
    skip_blanks(text);
  }
  if (text->at == text->end) return error_set(error, "%s:%d: the file ends, expected %s", text->path, text->line, what);
  return true;
}

void text_skip_line(Text *text) {
  const char *line_end = memchr(text->at, '\n', (size_t)(text->end - text->at));
  text->at = line_end ? line_end : text->end;
}

bool text_skip_past(Text *text, const char *word, Error *error) {
  int length = (int)strlen(word), from = text->line;
  for (;;) {
    text_skip_line(text);
    if (text_at_end(text)) return error_set(error, "%s:%d: the file ends before a line %s", text->path, from, word);
    if (!text_next_line(text, word, error)) return false;
    if (word_length(text) == length && memcmp(text->at, word, (size_t)length) == 0) break;
  }
  text_skip_line(text);
  return true;
}

bool text_word(Text *text, const char *what, const char **word, int *length, Error *error) {
  skip_blanks(text);
  *word = text->at;
  *length = word_length(text);
  if (*length == 0) return error_set(error, "%s:%d: the line ends, expected %s", text->path, text->line, what);
  text->at += *length;
  return interrupt_check(error);
}

bool text_expect(Text *text, const char *word, Error *error) {
  const char *found;
  int length;
  char copy[TEXT_SHOWN + 4];
  if (!text_word(text, word, &found, &length, error)) return false;
  if ((size_t)length == strlen(word) && memcmp(found, word, (size_t)length) == 0) return true;
  return error_set(error, "%s:%d: \"%s\", expected %s", text->path, text->line, text_shown(found, length, copy), word);
}

// Does not use strtoll, which takes twice as long and would skip line ends.
bool text_integer(const char *word, int length, int64_t *out) {
  bool negative = word[0] == '-';
  int i = negative || word[0] == '+';
  if (i == length) return false;
  int64_t value = 0;  // the negative of the number so far, because INT64_MIN has no positive counterpart
  for (; i < length; i++) {
    if (word[i] < '0' || word[i] > '9') return false;
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, word[i] - '0', &value)) return false;
  }
  if (!negative && value == INT64_MIN) return false;
  *out = negative ? value : -value;
  return true;
}

// Reads a word that consists of at most DIGITS digits, faster than text_integer. For any other word, for example a
// longer one or one with a sign, reads nothing and returns false.
static bool plain_digits(Text *text, int64_t *value) {
  enum { DIGITS = 18 };  // a number of this length fits into 64 bits
  skip_blanks(text);
  const char *at = text->at;
  int64_t sum = 0;
  while (*at >= '0' && *at <= '9' && at - text->at < DIGITS) sum = 10 * sum + (*at++ - '0');
  if (at == text->at || !(*at == '\n' || is_blank(text, *at))) return false;
  text->at = at;
  *value = sum;
  return true;
}

const char *text_range(int64_t low, int64_t high, char out[TEXT_RANGE_LENGTH]) {
  if (low == high)
    snprintf(out, TEXT_RANGE_LENGTH, "%lld", (long long)low);
  else
    snprintf(out, TEXT_RANGE_LENGTH, "%lld to %lld", (long long)low, (long long)high);
  return out;
}

bool text_int64(Text *text, const char *what, int64_t low, int64_t high, int64_t *out, Error *error) {
  const char *word;
  int length;
  int64_t value;
  char copy[TEXT_SHOWN + 4], range[TEXT_RANGE_LENGTH];
  const char *before = text->at;
  if (plain_digits(text, &value) && value >= low && value <= high) {
    *out = value;
    return interrupt_check(error);
  }
  text->at = before;
  if (!text_word(text, what, &word, &length, error)) return false;
  if (!text_integer(word, length, &value) || value < low || value > high)
    return error_set(error, "%s:%d: %s is \"%s\", expected %s", text->path, text->line, what,
                     text_shown(word, length, copy), text_range(low, high, range));
  *out = value;
  return true;
}

bool text_int(Text *text, const char *what, int low, int high, int *out, Error *error) {
  int64_t value;
  if (!text_int64(text, what, low, high, &value, error)) return false;
  *out = (int)value;
  return true;
}

bool text_count(Text *text, const char *what, int low, int high, int record_size, int *out, Error *error) {
  int value;
  if (!text_int(text, what, low, high, &value, error)) return false;
  int64_t left = text->end - text->at;
  if (value > left / record_size)
    return error_set(error, "%s:%d: %s is %d, but only %lld bytes are left in the file", text->path, text->line, what,
                     value, (long long)left);
  *out = value;
  return true;
}

bool text_real(const char *word, int length, double *out) {
  char *after, copy[64];
  if (length == 0) return false;
  double value = number_read(word, &after);
  const int64_t parsed = after - word;
  if (parsed > 0 && parsed < length && (*after == 'D' || *after == 'd') && length < (int)sizeof copy) {
    memcpy(copy, word, (size_t)length);
    copy[parsed] = 'e';
    copy[length] = 0;
    value = number_read(copy, &after);
    after = (char *)word + (after - copy);
  }

  // number_read accepts hexadecimal numbers such as 0x10, which are invalid in mesh files.
  const bool hexadecimal = memchr(word, 'x', (size_t)length) || memchr(word, 'X', (size_t)length);
  if (after != word + length || !isfinite(value) || hexadecimal) return false;
  *out = value;
  return true;
}

bool text_double(Text *text, const char *what, double *out, Error *error) {
  const char *word;
  int length;
  char copy[TEXT_SHOWN + 4];
  double value;
  if (!text_word(text, what, &word, &length, error)) return false;
  if (!text_real(word, length, &value))
    return error_set(error, "%s:%d: %s is \"%s\", expected a finite number", text->path, text->line, what,
                     text_shown(word, length, copy));
  *out = value;
  return true;
}

static void skip_to_word(Text *text, char comment) {
  for (;;) {
    skip_blanks(text);
    if (text->at == text->end) return;
    if (*text->at == '\n') {
      text->at++;
      text->line++;
    } else if (comment && *text->at == comment) {
      text_skip_line(text);
    } else {
      return;
    }
  }
}

bool text_more_words(Text *text, char comment) {
  skip_to_word(text, comment);
  return text->at < text->end;
}

bool text_next_word(Text *text, char comment, const char *what, Error *error) {
  skip_to_word(text, comment);
  return text->at < text->end || error_set(error, "%s:%d: the file ends, expected %s", text->path, text->line, what);
}

bool text_next_int(Text *text, char comment, const char *what, int low, int high, int *out, Error *error) {
  return text_next_word(text, comment, what, error) && text_int(text, what, low, high, out, error);
}

bool text_is(const char *word, int length, const char *name) {
  return (int)strlen(name) == length && strncasecmp(word, name, (size_t)length) == 0;
}

void text_peek(const Text *text, const char **word, int *length) {
  *word = text->at;
  *length = word_length(text);
}

bool text_begin_binary(Text *text, const char *what, Error *error) {
  skip_blanks(text);
  if (text->at == text->end) return error_set(error, "%s:%d: the file ends, expected %s", text->path, text->line, what);
  if (*text->at != '\n') return text_next_line(text, what, error);
  text->at++;
  text->line++;
  return true;
}

int64_t text_offset(const Text *text) {
  return text->at - text->data - 1;
}

bool text_bytes(Text *text, const char *what, int64_t count, int64_t size, const unsigned char **bytes, Error *error) {
  const int64_t left = text->end - text->at;
  if (count < 0 || count > left / size)
    return error_set(
        error, "%s: byte %lld: expected %s (%lld times %lld bytes), but only %lld bytes are left in the file",
        text->path, (long long)text_offset(text), what, (long long)count, (long long)size, (long long)left);
  *bytes = (const unsigned char *)text->at;
  text->at += count * size;
  return true;
}

bool text_search(Text *text, const char *word, Error *error) {
  const char *found = memmem(text->at, (size_t)(text->end - text->at), word, strlen(word));
  if (!found)
    return error_set(error, "%s: byte %lld: %s is missing after this byte", text->path, (long long)text_offset(text),
                     word);
  text->at = found + strlen(word);
  return true;
}
