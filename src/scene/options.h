// Options stand in tables: one row gives the key in a scene file, the flag on the command line, type, range, unit and
// help. Scene files, command line and --help all read the rows; nothing else knows an option's name.
#pragma once
#include <stddef.h>

#include "scene/json.h"

typedef enum OptionType {
  OPTION_NUMBER,   // double
  OPTION_INTEGER,  // int
  OPTION_CHOICE,   // enum or int: the index among `choices`
  OPTION_TEXT,     // char [size], one of `choices` where there are any
  OPTION_VECTOR,   // double [3]
  OPTION_SIZE,     // int [2], "1280x720"
  OPTION_FLAG,     // bool: on the command line it takes no value
  OPTION_CUSTOM,   // whatever `parse` makes of it
} OptionType;

typedef struct Option {
  const char *key;  // "newton_max": the key of a scene file; the flag is --newton-max
  OptionType type;
  size_t offset, size;  // of the value in the target struct
  double low, high;     // closed range of numbers
  const char *unit;     // "s"; or what stands for the value in --help, such as "FILE"
  const char *choices;  // "robust|plain"
  bool (*parse)(void *target, const cJSON *value, const char *name, Error *error);
  const char *help;
} Option;

/// The row with this key, or NULL. Tables end with a row whose key is NULL.
const Option *option_find(const Option *table, const char *key);

/// Sets the value from JSON. `name` is what messages call it: "hand.json: key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets the value from a word of the command line. Vectors may come as 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// The value as JSON, to be printed or compared; NULL for OPTION_CUSTOM. The caller deletes it.
cJSON *option_json(const Option *option, const void *target);

/// The index of `text` among "a|b|c", or -1.
int choice_index(const char *choices, const char *text);

/// The other way.
void choice_text(const char *choices, int index, char *text, size_t size);

/// Sets all keys of a JSON object from json_parse; an unknown key is an error. `file` begins the messages.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints a table for --help, with the values that `defaults` holds.
void options_print(const Option *table, const void *defaults);

/// Writes an option's flag, "--newton-max".
void option_flag(const Option *option, char flag[64]);
