// Reads lines of Abaqus input files: see inp_parts.h. A keyword line begins with "*", a comment line with "**". Fields
// are separated by commas. In keywords and parameters, upper and lower case have the same meaning.
#include <string.h>
#include <strings.h>

#include "mesh/format/inp_parts.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool inp_next_line(Text *text, bool *is_keyword) {
  for (;;) {
    text_skip_line(text);
    if (text_at_end(text)) return false;
    Error none = { 0 };
    if (!text_next_line(text, "a line", &none)) return false;
    *is_keyword = text->at[0] == '*';
    if (!(*is_keyword && text->at[1] == '*')) return true;
  }
}

bool inp_next_data(Text *text) {
  const Text before = *text;
  bool is_keyword;
  if (inp_next_line(text, &is_keyword) && !is_keyword) return true;
  *text = before;
  text_skip_line(text);
  return false;
}

bool inp_field(Text *text, InpWord *field) {
  while (is_blank(*text->at)) text->at++;
  if (text->at >= text->end || *text->at == '\n') return false;
  const char *first = text->at, *last;
  while (text->at < text->end && *text->at != '\n' && *text->at != ',') text->at++;
  for (last = text->at; last > first && is_blank(last[-1]);) last--;
  if (text->at < text->end && *text->at == ',') text->at++;
  if (last - first >= 2 && *first == '"' && last[-1] == '"') {
    first++;
    last--;
  }
  *field = (InpWord){ first, last - first < INT32_MAX ? (int)(last - first) : INT32_MAX };
  return true;
}

bool inp_integer(Text *text, const char *what, int64_t low, int64_t *value, Error *error) {
  InpWord field;
  char copy[TEXT_SHOWN + 4];
  if (!inp_field(text, &field))
    return error_set(error, "%s:%d: the line ends, expected %s", text->path, text->line, what);
  if (field.length > 0 && text_integer(field.at, field.length, value) && *value >= low) return true;
  return error_set(error, "%s:%d: %s is \"%s\", expected a whole number, %lld or more", text->path, text->line, what,
                   text_shown(field.at, field.length, copy), (long long)low);
}

bool inp_real(Text *text, const char *what, double *value, Error *error) {
  InpWord field;
  char copy[TEXT_SHOWN + 4];
  *value = 0;
  if (!inp_field(text, &field) || field.length == 0) return true;  // Abaqus reads an empty field as 0
  if (text_real(field.at, field.length, value)) return true;
  return error_set(error, "%s:%d: %s is \"%s\", expected a finite number", text->path, text->line, what,
                   text_shown(field.at, field.length, copy));
}

const InpWord *inp_parameter(const InpKeyword *keyword, const char *key) {
  for (int k = 0; k < keyword->count; k++)
    if (text_is(keyword->key[k].at, keyword->key[k].length, key)) return &keyword->value[k];
  return NULL;
}

// Divides a parameter "KEY = value" into key and value. Removes the blanks around "=" and quotes around the value.
static void divide(const InpWord *field, InpWord *key, InpWord *value) {
  const char *end = field->at + field->length, *equal = memchr(field->at, '=', (size_t)field->length);
  const char *first = equal ? equal + 1 : end, *key_end = equal ? equal : end;
  while (first < end && is_blank(*first)) first++;
  while (key_end > field->at && is_blank(key_end[-1])) key_end--;
  if (end - first >= 2 && *first == '"' && end[-1] == '"') {
    first++;
    end--;
  }
  *key = (InpWord){ field->at, (int)(key_end - field->at) };
  *value = (InpWord){ first, (int)(end - first) };
}

bool inp_read_keyword(Text *text, InpKeyword *keyword, Error *error) {
  InpWord field;
  int length = 0;
  *keyword = (InpKeyword){ .count = 0 };
  text->at++;  // skip the asterisk
  if (!inp_field(text, &field)) field = (InpWord){ text->at, 0 };
  for (int i = 0; i < field.length && length < INP_KEYWORD - 1; i++) {
    const char c = field.at[i];
    if (!is_blank(c)) keyword->name[length++] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  bool more = text->at > text->data && text->at[-1] == ',';
  for (;;) {
    while (inp_field(text, &field)) {
      more = text->at[-1] == ',';
      if (keyword->count == INP_PARAMETERS)
        return error_set(error, "%s:%d: *%s has more than %d parameters", text->path, text->line, keyword->name,
                         INP_PARAMETERS);
      divide(&field, &keyword->key[keyword->count], &keyword->value[keyword->count]);
      keyword->count++;
    }
    if (!more || !inp_next_data(text)) return true;
    more = false;
  }
}
