// Reads fields of MSH files. In versions 2.2 and 4.1, a field is in sections $NodeData or $ElementData, which consist
// of:
//
//   count, then `count` texts in quotes, one per line; the first is the field's name
//   count, then `count` numbers, one per line; the first is the time
//   count, then `count` whole numbers, one per line: time step, components, number of entries, ...
//   one line per entry: tag value...; in binary files the tag is an int and the values are doubles
#include <string.h>

#include "mesh/format/binary.h"
#include "mesh/format/msh_parts.h"

// Reads the text on the present line, without its quotes, and advances to the end of the line. *name points to the
// text's first character in the file's content; *length is the length of the text.
static void read_text(Text *text, const char **name, int *length) {
  const char *first = text->at, *end = text->at;
  while (end < text->end && *end != '\n' && *end != '\r') end++;
  if (end - first >= 2 && *first == '"' && end[-1] == '"') {
    first++;
    end--;
  }
  *name = first;
  *length = end - first < INT32_MAX ? (int)(end - first) : INT32_MAX;
  text_skip_line(text);
}

// Reads the beginning of a section, before the values: the field's name, the number of components, and the number of
// entries (nodes or cells with values).
static bool read_head(Text *text, const char **name, int *length, int *components, int *count, Error *error) {
  enum { TAG_BYTES = 2 };
  int texts, reals, wholes, other;
  double real;
  *length = 0;
  if (!text_next_line(text, "count of texts", error) ||
      !text_count(text, "count of texts", 0, INT32_MAX, TAG_BYTES, &texts, error))
    return false;
  for (int k = 0; k < texts; k++) {
    const char *other_name;
    int other_length;
    if (!text_next_line(text, "a text", error)) return false;
    read_text(text, k ? &other_name : name, k ? &other_length : length);
  }

  if (!text_next_line(text, "count of reals", error) ||
      !text_count(text, "count of reals", 0, INT32_MAX, TAG_BYTES, &reals, error))
    return false;
  for (int k = 0; k < reals; k++)
    if (!text_next_line(text, "a real", error) || !text_double(text, "a real", &real, error)) return false;
  if (!text_next_line(text, "count of integers", error) ||
      !text_count(text, "count of integers", 3, INT32_MAX, TAG_BYTES, &wholes, error))
    return false;
  for (int k = 0; k < wholes; k++) {
    int *to = k == 1 ? components : k == 2 ? count : &other;
    const char *what = k == 1 ? "count of components" : k == 2 ? "count of entries" : "an integer";
    if (!text_next_line(text, what, error) ||
        !text_int(text, what, k == 1 || k == 2 ? 0 : INT32_MIN, INT32_MAX, to, error))
      return false;
  }
  return true;
}

static bool read_entries(Msh *msh, FileField *field, int count, Error *error) {
  enum { ENTRY_BYTES = 4 };
  Text *text = &msh->text;
  if (count > (text->end - text->at) / ENTRY_BYTES)
    return error_set(error, "%s:%d: a field has %d entries, but only %lld bytes are left in the file", text->path,
                     text->line, count, (long long)(text->end - text->at));
  if (!file_field_grow(field, count, error)) return false;
  for (int k = 0; k < count; k++) {
    double *value = field->value + (int64_t)k * field->wanted.components;
    if (!text_next_line(text, "an entry of the field", error) ||
        !text_int64(text, "tag", 0, INT64_MAX, &field->tag[k], error))
      return false;
    for (int i = 0; i < field->wanted.components; i++)
      if (!text_double(text, "value", &value[i], error)) return false;
  }
  return true;
}

static bool get_entries(Msh *msh, FileField *field, int count, Error *error) {
  const int components = field->wanted.components;
  const unsigned char *bytes;
  if (!text_begin_binary(&msh->text, "entries of the field", error) ||
      !text_bytes(&msh->text, "entries of the field", count, 4 + 8 * components, &bytes, error) ||
      !file_field_grow(field, count, error))
    return false;
  for (int k = 0; k < count; k++, bytes += 4 + 8 * components) {
    field->tag[k] = binary_i32(bytes, msh->swap);
    for (int i = 0; i < components; i++)
      field->value[(int64_t)k * components + i] = binary_f64(bytes + 4 + 8 * i, msh->swap);
  }
  return true;
}

bool msh_field(Msh *msh, const char *end, Error *error) {
  Text *text = &msh->text;
  FileField *field = msh->builder.field;
  const char *name = "";
  int length, components, count;
  const int line = text->line;
  if (!read_head(text, &name, &length, &components, &count, error)) return false;
  file_field_list(field, name, length);
  if ((int)strlen(field->wanted.name) != length || memcmp(field->wanted.name, name, (size_t)length) != 0)
    return msh->binary ? text_search(text, end, error) : text_skip_past(text, end, error);
  if (components != field->wanted.components)
    return error_set(error, "%s:%d: the number of components of the field \"%s\" is %d, expected %d", text->path, line,
                     field->wanted.name, components, field->wanted.components);

  // If the file has the field at several times, the values that come last in the file replace those read before.
  field->found = true;
  field->count = 0;
  if (!(msh->binary ? get_entries : read_entries)(msh, field, count, error)) return false;
  return text_next_word(text, 0, end, error) && text_expect(text, end, error);
}
