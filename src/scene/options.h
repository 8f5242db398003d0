// Reads options from JSON and from the command line, and writes them as JSON and for --help. Each option is a row of a
// table, see base/option.h.
#pragma once
#include "base/option.h"
#include "scene/json.h"

/// Sets an option in the struct `target` from JSON. `name` begins messages: "hand.json: key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets an option in `target` from an argument of the command line. A vector may have the form 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// Returns the value of an option in `target` as JSON, which the caller deletes; NULL if it has no value.
cJSON *option_json(const Option *option, const void *target);

/// Sets options in `target` from all keys of a JSON object that json_parse has made. Fails on an unknown key. Messages
/// begin with `file`.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints an option for --help with its default, taken from `defaults`, and its range.
void option_print(const Option *option, const void *defaults);

/// Prints an option for other programs, as columns with tabs in between: the word "option", the option's flag, the
/// placeholder of its value, the word "choices" if this placeholder lists all allowed values, and the help text.
void option_print_row(const Option *option, const void *defaults);
