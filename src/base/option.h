// Options stand in tables: one row gives an option's key, where its value lies, type, range, unit and help, and when a
// change of it applies. Scene files, command line, --help, the running simulation, input log, checkpoint and panel all
// walk the rows; nothing else knows an option's name but the code that uses its value.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

typedef enum OptionType {
  OPTION_NUMBER,    // double
  OPTION_INTEGER,   // int
  OPTION_CHOICE,    // enum or int: the index among `choices`
  OPTION_TEXT,      // char [size], one of `choices` where there are any
  OPTION_VECTOR,    // double [3]
  OPTION_OPTIONAL,  // a double that counts where the bool at `present` is set; null, or the word `absent`: it is not
  OPTION_SIZE,      // int [2], "1280x720"
  OPTION_FLAG,      // bool: on the command line it takes no value, or =false and =true
  OPTION_CUSTOM,    // whatever `parse` makes of it
} OptionType;

// When a change of the value applies to a session that runs.
typedef enum OptionApplies {
  APPLIES_TO_COMMAND,  // never: it belongs to a command, not to a session
  APPLIES_LIVE,        // at once, by simulation_adjust
  APPLIES_ON_REBUILD,  // once the simulation has been made anew, which goes on from the same state: session_switch
  APPLIES_TO_STAGE,    // likewise; it chooses only how the same motion is computed, and changes its last bits
  APPLIES_TO_BODY,     // in a new session: what the mesh in memory is made from
  APPLIES_TO_SCRIPT,   // in a new session: what holds the body and moves it, and how it begins
  APPLIES_TO_VIEW,     // no motion depends on it: what a window, recording or benchmark shows, and how long
  APPLIES_AS_OTHERS,   // as the rows do that it is another way to give
} OptionApplies;

typedef struct Option {
  const char *key;  // "newton_max": the key of a scene file; the flag is --newton-max
  OptionType type;
  size_t offset, size;  // of the value in the target struct
  size_t present;       // of the bool that belongs to it: OPTION_OPTIONAL
  const char *absent;   // "auto": what users say where the number does not count; NULL: they say null
  double low, high;     // range of numbers;
  bool open;            // its ends do not belong to it
  const char *unit;     // "s"; or what stands for the value in --help, such as "FILE"
  const char *choices;  // "robust|plain"
  bool (*parse)(void *target, const struct cJSON *value, const char *name, Error *error);
  struct cJSON *(*print)(const void *target);  // the value as `parse` reads it, the caller's to delete; NULL: none
  void (*noted)(void *target);                 // called when the value has been read, if not NULL
  const char *help;
  OptionApplies applies;
  const char *tab;   // of the panel, where it can be changed; NULL: in none
  double slider[2];  // what its slider spans there; as wide as the panel sees fit where both are 0
} Option;

// Members of a row. Ranges:
#define OPTION_ANY .low = -HUGE_VAL, .high = HUGE_VAL
#define OPTION_AT_LEAST(least) .low = least, .high = HUGE_VAL
#define OPTION_MORE_THAN(bound) .low = bound, .high = HUGE_VAL, .open = true
#define OPTION_FROM_TO(least, most) .low = least, .high = most
#define OPTION_BETWEEN(lower, upper) .low = lower, .high = upper, .open = true
// Where the value lies:
#define OPTION_AT(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

/// The row with this key, or NULL. Tables end with a row whose key is NULL.
const Option *option_find(const Option *table, const char *key);

/// Fails where the value does not lie in the row's range: "dt is 0 s, expected more than 0".
bool option_check(const Option *option, const void *target, Error *error);

/// The same for a number that is still to be put there, which messages call `name`.
bool option_check_number(const Option *option, double number, const char *name, Error *error);

/// Copies the values of all rows that apply so.
void options_copy(const Option *table, OptionApplies applies, void *to, const void *from);

/// The rows, one bit each from the first on, whose values are the same; and copies those of such a set. For tables of
/// up to 64 rows.
uint64_t options_alike(const Option *table, const void *a, const void *b);
void options_copy_rows(const Option *table, uint64_t rows, void *to, const void *from);

// A value as numbers, for all types but texts and what is custom: choices and flags by index, a size as two.
typedef struct OptionValue {
  double number[3];
  bool present;  // false only where an OPTION_OPTIONAL is not there
} OptionValue;
OptionValue option_value(const Option *option, const void *target);
void option_put(const Option *option, void *target, const OptionValue *value);

/// A number as users would write it: 1000000 and 0.001, but 1e+100 and 1e-15.
const char *option_number(double number, char text[32]);

/// The range in words: "more than 0", "0 to 20".
const char *option_range(const Option *option, char words[96]);

/// Writes an option's flag, "--newton-max".
void option_flag(const Option *option, char flag[64]);

/// The index of `text` among "a|b|c", or -1.
int choice_index(const char *choices, const char *text);

/// The other way; an empty text where there is no such index.
void choice_text(const char *choices, int index, char *text, size_t size);

#ifdef __cplusplus
}
#endif
