// Reads options from JSON and from the command line, and writes them as JSON and for --help. Each option is a row of a
// table, see base/option.h.
#pragma once
#include "base/option.h"
#include "scene/json.h"

/// Sets an option in the struct `target` from JSON. `name` begins messages: "hand.json: key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets an option in `target` from an argument of the command line. A vector may have the form 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// Returns the value that an option has in the struct `target`, as JSON, which the caller deletes. Returns NULL if the
/// option is an object or a list (OPTION_CUSTOM) that is not set.
cJSON *option_json(const Option *option, const void *target);

/// Sets options in `target` from all keys of a JSON object that json_parse has made. Fails on an unknown key. Messages
/// begin with `file`.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints an option for --help with its default, taken from `defaults`, and its range.
void option_print(const Option *option, const void *defaults);

/// Prints an option as a line that other programs can read. The line has columns, separated by tabs: the word "option";
/// the option's flag; the placeholder of its value, such as "FILE" or "cpu|cuda"; the word "choices" if the placeholder
/// lists all allowed values; and the help text, with default and range.
void option_print_row(const Option *option, const void *defaults);
