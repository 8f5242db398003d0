// Options as JSON, as words of the command line and in --help; the rows themselves are in base/option.h.
#pragma once
#include "base/option.h"
#include "scene/json.h"

/// Sets the value from JSON. `name` is what messages call it: "hand.json: key \"dt\"".
bool option_set_json(const Option *option, void *target, const cJSON *value, const char *name, Error *error);

/// Sets the value from a word of the command line. Vectors may come as 0,0,-9.81.
bool option_set_text(const Option *option, void *target, const char *text, Error *error);

/// The value as JSON, to be printed or compared; NULL where there is none. The caller deletes it.
cJSON *option_json(const Option *option, const void *target);

/// Sets all keys of a JSON object from json_parse; an unknown key is an error. `file` begins the messages.
bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error);

/// Prints a row for --help, with the value that `defaults` holds and the range.
void option_print(const Option *option, const void *defaults);

/// Prints it for other programs: "option", flag, what stands for the value, "choices" where that is a list of them, and
/// what --help says, with tabs in between.
void option_print_row(const Option *option, const void *defaults);
