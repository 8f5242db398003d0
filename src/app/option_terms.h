// Options that have an effect only together with other options. On the command line an option without effect is an
// error. In a scene file such a key is allowed, because all commands read the same scenes.
#pragma once
#include "scene/scene.h"

enum { COMMAND_OPTIONS_MAX = 128 };  // maximum number of options of one command

// A condition under which the option `key` has an effect: one row of a command's table of conditions. If the table has
// several rows for an option, the conditions of all these rows must hold.
// `where`, `needs` and `not_with` are lists of options of the command, such as "output|video".
typedef struct OptionTerm {
  // option or scene key. "view": --view, and all scene keys that affect only the picture, unless another row names
  // the options that the key needs
  const char *key;
  const char *where;     // the row is tested only if one of these options is given; NULL: always
  const char *needs;     // options of which the user must give one together with `key`; NULL: no condition
  const char *not_with;  // options of which the user may give none together with `key`; NULL: no condition
} OptionTerm;

// All options that were given to one command.
typedef struct GivenOptions {
  const char *command;  // program and command, for messages: "pliant bench"
  const Option *own;    // the command's table of options, or NULL
  // [COMMAND_OPTIONS_MAX] entry k: option k of `own` was given; a flag with the value =false does not count as given
  const bool *command_given;
  const OptionTerm *terms;  // conditions; the last row has the key NULL. NULL: no conditions
  const Scene *scene;       // scene with the options of the command line; NULL: the command has no scene
  bool changes_later;       // the command opens a window in which the user can change the scene
  bool reports_gpu;         // the command reports about GPUs even if it computes on the CPU
} GivenOptions;

/// Returns true if the option `key` of the command's table `own` was given.
bool option_given(const Option *own, const bool *given, const char *key);

/// Fails if an option without effect was given. The message names the first such option and the condition that does not
/// hold.
bool option_terms_check(const GivenOptions *given, Error *error);
