// Reads options from JSON and from the command line, and writes them to JSON and to --help. A table has a row for each
// option; base/option.h defines the type of a row.
#pragma once
#include "base/option.h"
#include "scene/json.h"

/// Sets the value of an option in `target` from JSON. `name` is the name of the option in messages, such as "hand.json:
/// key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets the value of an option in `target` from an argument of the command line. A vector may be written as 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// Returns the value of an option in `target` as JSON, for output or comparison; NULL if the option has no value. The
/// caller deletes the JSON value.
cJSON *option_json(const Option *option, const void *target);

/// Sets the options in `target` from all keys of a JSON object, which json_parse has created. An unknown key is an
/// error. Messages begin with `file`.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints an option for --help, with its default (its value in `defaults`) and its range.
void option_print(const Option *option, const void *defaults);

/// Prints an option for other programs, as columns with tabs between them. The columns are: the word "option", the
/// flag, the placeholder of the value, "choices" if the placeholder is a list of choices, and the help text.
void option_print_row(const Option *option, const void *defaults);
