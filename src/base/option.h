// Tables of options. A row has an option's key, type, range, unit and help, the offset of its value in a struct, and
// the time at which a change takes effect. The code for scene files, the command line, --help, the running simulation,
// the input log, checkpoints and the panel loops over the rows. So only the code that uses a value depends on the name
// of the option.
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
  OPTION_NUMBER,   // double
  OPTION_INTEGER,  // int
  OPTION_CHOICE,   // enum or int: index of the chosen word in `choices`
  OPTION_TEXT,     // char [size]; one of `choices` if the row has any
  OPTION_VECTOR,   // double [3]
  // a double that may be absent; users then write null, or the word in the member `absent`. The bool at offset
  // `present` is then false or, if zero_is_absent, the double is 0
  OPTION_OPTIONAL,
  OPTION_SIZE,    // int [2], a width and a height: "1280x720"
  OPTION_FLAG,    // bool; on the command line without a value, or with =false or =true
  OPTION_CUSTOM,  // any type that `parse` reads
} OptionType;

// Time at which a change of the value takes effect.
typedef enum OptionApplies {
  APPLIES_TO_COMMAND,  // never: the option belongs to a command, not to a session
  APPLIES_LIVE,        // at once (simulation_adjust)
  APPLIES_ON_REBUILD,  // when the simulation is rebuilt and continues from its present state (session_switch)
  APPLIES_TO_STAGE,    // as APPLIES_ON_REBUILD; selects a method, so only the last bits of the motion change
  APPLIES_TO_BODY,     // in a new session: changes data from which the mesh in memory is built
  APPLIES_TO_SCRIPT,   // in a new session: changes pins, prescribed motion or initial state of the body
  APPLIES_TO_VIEW,     // does not affect motion: changes a window, a recording or a benchmark
  APPLIES_AS_OTHERS,   // the value sets other options, and takes effect as they do: `young` sets mu and lambda
} OptionApplies;

// Effect of an edit of the scene in the window's editor, which changes the value, on the motion so far.
typedef enum OptionEdit {
  EDIT_AS_APPLIES,  // by `applies`: the motion begins again if the change takes effect only in a new session
  EDIT_CONTINUES,   // the motion continues, although a running simulation cannot change the value
  EDIT_RESTARTS,    // the motion begins again
} OptionEdit;

// A row of a table of options.
typedef struct Option {
  const char *key;  // name in scene files, "newton_max"; its flag is --newton-max
  OptionType type;
  size_t offset, size;  // bytes, of the value in the target struct; OPTION_AT initialises both
  size_t present;       // for OPTION_OPTIONAL: offset of the bool that is true if there is a number
  const char *absent;   // word that users write for "no number", such as "auto"; NULL: they write null
  bool zero_is_absent;  // for OPTION_OPTIONAL without a bool: 0, which is outside the range, means "no number"
  double low, high;     // range of a number
  bool open;            // true: the ends of the range are not allowed
  const char *unit;     // unit of a number, "s"; or placeholder of the value in --help, "FILE"
  const char *choices;  // allowed words, "robust|plain"
  const char *counted;  // choice that may be followed by a number of at most two digits, "cuda": "cuda:1"; or NULL
  bool (*parse)(void *target, const struct cJSON *value, const char *name, Error *error);
  // returns the value as JSON, in the form that `parse` reads; the caller deletes this JSON. NULL: the value is not
  // printed
  struct cJSON *(*print)(const void *target);
  void (*noted)(void *target);  // called after the value was read, to derive other values; or NULL
  const char *help;
  OptionApplies applies;
  OptionEdit edit;
  const char *tab;   // tab of the panel in which users can change the value; NULL: none
  bool advanced;     // beginners do not need the option, so the panel shows it below the heading "Advanced"
  double slider[2];  // range of the value's slider in the panel; both 0: the panel chooses
  bool color;        // the value is a colour: a list of red, green and blue, each 0 to 1
  bool input_file;   // the value names a file that the command reads and does not write
} Option;

// Initialisers of an Option for a number: the range of its valid values.
#define OPTION_ANY .low = -HUGE_VAL, .high = HUGE_VAL
#define OPTION_AT_LEAST(least) .low = least, .high = HUGE_VAL
#define OPTION_MORE_THAN(bound) .low = bound, .high = HUGE_VAL, .open = true
#define OPTION_FROM_TO(least, maximum) .low = least, .high = maximum
#define OPTION_BETWEEN(lower, upper) .low = lower, .high = upper, .open = true
// Initialises `offset` and `size` of an Option for a value that is stored in the member `field` of struct `type`.
#define OPTION_AT(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

/// Returns the row with this key; NULL: none. Tables end with a row whose key is NULL.
const Option *option_find(const Option *table, const char *key);

/// Writes the known key that an unknown one most probably means, as meant_text does. Returns `text`.
const char *option_meant(const Option *table, const char *unknown, char text[96]);

/// Fails if the value is outside the row's range: "dt is 0 s, expected more than 0".
bool option_check(const Option *option, const void *target, Error *error);

/// As option_check, for a number that is not stored yet; the message calls it `name`.
bool option_check_number(const Option *option, double number, const char *name, Error *error);

/// Copies the values of all rows whose member `applies` equals the argument, from the struct `from` to the struct `to`.
void options_copy(const Option *table, OptionApplies applies, void *to, const void *from);

/// Functions for tables of up to 64 rows. options_alike returns a mask in which bit k is 1 if a and b have equal values
/// in row k. options_copy_rows copies the values of the rows whose bits are 1 in the mask `rows`.
uint64_t options_alike(const Option *table, const void *a, const void *b);
void options_copy_rows(const Option *table, uint64_t rows, void *to, const void *from);

// A value of any type except OPTION_TEXT and OPTION_CUSTOM: a choice as its index, a flag as 0 or 1, a size as two
// numbers.
typedef struct OptionValue {
  double number[3];
  bool present;  // false: an OPTION_OPTIONAL has no number
} OptionValue;
OptionValue option_value(const Option *option, const void *target);
void option_put(const Option *option, void *target, const OptionValue *value);

/// Writes a number as users would: 1000000 and 0.001, but 1e+100 and 1e-15. Returns `text`.
const char *option_number(double number, char text[32]);

/// Writes the range in words: "more than 0", "0 to 20". Returns `words`.
const char *option_range(const Option *option, char words[96]);

/// Writes an option's flag, "--newton-max".
void option_flag(const Option *option, char flag[64]);

/// Returns the index of `text` in choices such as "a|b|c"; -1: none.
int choice_index(const char *choices, const char *text);

/// Writes the word number `index` of choices such as "a|b|c"; "" if there is none.
void choice_text(const char *choices, int index, char *text, size_t size);

#ifdef __cplusplus
}
#endif
