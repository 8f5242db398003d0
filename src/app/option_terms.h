// Options that have an effect only together with other options. An option without effect is an error on the command
// line. In a scene file such a key is allowed, since all commands read the same scenes.
#pragma once
#include "scene/scene.h"

enum { COMMAND_OPTIONS_MAX = 128 };

// A condition under which an option of a command, or a key of a scene, has an effect. An option may have several rows,
// which must all be fulfilled. The members `where`, `needs` and `not_with` are lists of options of the command, such as
// "output|video".
typedef struct OptionTerm {
  const char *key;       // name of the option or key; "view" means all scene keys that affect only the picture
  const char *where;     // the row applies only if one of these options is given; NULL: it always applies
  const char *needs;     // one of these options must be given; NULL: none is needed
  const char *not_with;  // none of these options may be given; NULL: all may be given
} OptionTerm;

// The options that were given to one command.
typedef struct GivenOptions {
  const char *command;        // program and command, for messages: "pliant bench"
  const Option *own;          // the command's table of options, or NULL
  const bool *command_given;  // [COMMAND_OPTIONS_MAX], entry k is true if option k of the table was given, but not as
                              // =false
  const OptionTerm *terms;    // the last row has the key NULL; or NULL
  const Scene *scene;         // the scene after it was changed by the command line; NULL: the command has no scene
  bool changes_later;         // the command opens a window, in which the user can change the scene
  bool reports_gpu;           // the command reports about GPUs even if it computes on the CPU
} GivenOptions;

/// Returns true if the option with this key was given. `own` is the command's table of options.
bool option_given(const Option *own, const bool *given, const char *key);

/// Fails if an option was given that has no effect. The message names the first such option, and the option that is
/// missing.
bool option_terms_check(const GivenOptions *given, Error *error);
