// Options that have an effect only together with others. An option without effect is an error on the command line. In a
// scene file it is allowed, since all commands read the same scenes.
#pragma once
#include "scene/scene.h"

enum { COMMAND_OPTIONS_MAX = 128 };

// A condition for an option of a command, or a key of a scene, to have an effect. An option may have several rows, and
// all must be fulfilled. The members `where`, `needs` and `not_with` are lists of options of the command, such as
// "output|video".
typedef struct OptionTerm {
  const char *key;       // "view": all scene keys that affect the picture only
  const char *where;     // the row applies if one of these is given; NULL: always
  const char *needs;     // one of these must be given; NULL: none
  const char *not_with;  // none of these may be given; NULL: any may
} OptionTerm;

// The options that were given to one command.
typedef struct GivenOptions {
  const char *command;        // for messages: "pliant bench"
  const Option *own;          // the command's table of options, or NULL
  const bool *command_given;  // [COMMAND_OPTIONS_MAX], [k] is true if option k of the table was given, and not as
                              // =false
  const OptionTerm *terms;    // ends with a row whose key is NULL; or NULL
  const Scene *scene;         // after the command line's changes; NULL: the command has no scene
  bool changes_later;         // the command opens a window, in which the user can change the scene later
  bool reports_gpu;           // the command reports about GPUs even if it computes on the CPU
} GivenOptions;

/// Returns true if the option of the command's table with this key was given.
bool option_given(const Option *own, const bool *given, const char *key);

/// Fails if an option was given that has no effect. The message names the first such option and the missing one.
bool option_terms_check(const GivenOptions *given, Error *error);
