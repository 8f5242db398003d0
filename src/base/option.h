// Tables of options. A row holds an option's key, the offset of its value, type, range, unit and help, and when a
// change applies. Scene files, command line, --help, the running simulation, input log, checkpoint and panel all loop
// over the rows. Only the code that uses a value depends on its option's name.
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
  OPTION_CHOICE,    // enum or int: the index of the chosen word in `choices`
  OPTION_TEXT,      // char [size]; one of `choices` if there are any
  OPTION_VECTOR,    // double [3], a vector
  OPTION_OPTIONAL,  // double with a bool at `present`: the number is used if the bool is true. The user's null, or the
                    // word `absent`, sets the bool to false. With `zero_is_absent` there is no bool
  OPTION_SIZE,      // int [2], a width and a height: "1280x720"
  OPTION_FLAG,      // bool: on the command line it takes no value, or =false and =true
  OPTION_CUSTOM,    // any type that `parse` reads
} OptionType;

// Time at which a change of the value takes effect in a running session.
typedef enum OptionApplies {
  APPLIES_TO_COMMAND,  // never: the option belongs to a command, not to a session
  APPLIES_LIVE,        // at once: simulation_adjust
  APPLIES_ON_REBUILD,  // after the simulation is rebuilt and continues from its state: session_switch
  APPLIES_TO_STAGE,    // as APPLIES_ON_REBUILD; it selects a method, which changes only the last bits of the motion
  APPLIES_TO_BODY,     // in a new session: data from which the mesh in memory is built
  APPLIES_TO_SCRIPT,   // in a new session: pins, prescribed motion and initial state of the body
  APPLIES_TO_VIEW,     // does not affect motion: contents and duration of a window, recording or benchmark
  APPLIES_AS_OTHERS,   // when the options that it sets take effect: for example, `young` sets mu and lambda
} OptionApplies;

typedef struct Option {
  const char *key;  // "newton_max": the key of a scene file; the flag is --newton-max
  OptionType type;
  size_t offset, size;  // offset and size of the value in the target struct
  size_t present;       // for OPTION_OPTIONAL: offset of its bool, which says if there is a number
  const char *absent;   // word that users write for "no number", such as "auto"; NULL: they write null
  bool zero_is_absent;  // there is no bool: the value 0, which lies outside the range, means "no number"
  double low, high;     // range of numbers
  bool open;            // the ends of the range are not allowed
  const char *unit;     // unit for messages, "s"; or a placeholder for the value in --help, for example "FILE"
  const char *choices;  // allowed words: "robust|plain"
  bool (*parse)(void *target, const struct cJSON *value, const char *name, Error *error);
  struct cJSON *(*print)(const void *target);  // returns the value as JSON that `parse` accepts; the caller deletes it.
                                               // NULL: the value is not printed
  void (*noted)(void *target);                 // called after the value was read, if not NULL
  const char *help;
  OptionApplies applies;
  const char *tab;   // tab of the panel in which it can be changed; NULL: none
  double slider[2];  // range of its slider in the panel; both 0: the panel chooses
} Option;

// Initialisers of a row's range of numbers.
#define OPTION_ANY .low = -HUGE_VAL, .high = HUGE_VAL
#define OPTION_AT_LEAST(least) .low = least, .high = HUGE_VAL
#define OPTION_MORE_THAN(bound) .low = bound, .high = HUGE_VAL, .open = true
#define OPTION_FROM_TO(least, maximum) .low = least, .high = maximum
#define OPTION_BETWEEN(lower, upper) .low = lower, .high = upper, .open = true
// Initialisers of offset and size: position of the value in its struct.
#define OPTION_AT(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

/// The row with this key, or NULL. Tables end with a row whose key is NULL.
const Option *option_find(const Option *table, const char *key);

/// Fails if the value is outside the row's range: "dt is 0 s, expected more than 0".
bool option_check(const Option *option, const void *target, Error *error);

/// As option_check, for a number before it is stored; messages call it `name`.
bool option_check_number(const Option *option, double number, const char *name, Error *error);

/// Copies the values of all rows whose member `applies` equals the argument.
void options_copy(const Option *table, OptionApplies applies, void *to, const void *from);

/// options_alike returns a bit mask: bit k is set if a and b have equal values in row k. options_copy_rows copies the
/// values of the rows in such a mask. For tables of up to 64 rows.
uint64_t options_alike(const Option *table, const void *a, const void *b);
void options_copy_rows(const Option *table, uint64_t rows, void *to, const void *from);

// A value of any type but OPTION_TEXT and OPTION_CUSTOM: a choice as its index, a flag as 0 or 1, a size as two
// numbers.
typedef struct OptionValue {
  double number[3];
  bool present;  // false only for an OPTION_OPTIONAL that is not set
} OptionValue;
OptionValue option_value(const Option *option, const void *target);
void option_put(const Option *option, void *target, const OptionValue *value);

/// Formats a number as users would write it: 1000000 and 0.001, but 1e+100 and 1e-15.
const char *option_number(double number, char text[32]);

/// Writes the range in words: "more than 0", "0 to 20".
const char *option_range(const Option *option, char words[96]);

/// Writes an option's flag, "--newton-max".
void option_flag(const Option *option, char flag[64]);

/// Index of `text` in "a|b|c", or -1.
int choice_index(const char *choices, const char *text);

/// Writes the text of an index in "a|b|c"; an empty text if there is no such index.
void choice_text(const char *choices, int index, char *text, size_t size);

#ifdef __cplusplus
}
#endif
