// Options in JSON, on the command line and in --help. base/option.h defines the type of a row.
#pragma once
#include "base/option.h"
#include "scene/json.h"

/// Sets the value from JSON. `name` is its name in messages: "hand.json: key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets the value from an argument of the command line. A vector may be written as 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// Returns the value as JSON, to be printed or compared; NULL if the option has none. The caller deletes it.
cJSON *option_json(const Option *option, const void *target);

/// Sets all keys of a JSON object from json_parse; an unknown key is an error. `file` begins the messages.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints a row for --help, with its value in `defaults` and its range.
void option_print(const Option *option, const void *defaults);

/// Prints a row for other programs, with tabs between its columns: "option", flag, placeholder of the value, "choices"
/// if that is a list of choices, and the help text.
void option_print_row(const Option *option, const void *defaults);
