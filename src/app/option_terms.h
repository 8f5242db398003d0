// Options that have an effect only together with others. One that has none is an error on the command line; a scene's
// file may hold it, since a scene serves all commands.
#pragma once
#include "scene/scene.h"

enum { OWN_OPTIONS_MAX = 128 };

// An own option of a command or a key of a scene, and when it has an effect. All rows of a key must hold. Lists name
// own options of the command: "output|video".
typedef struct OptionTerm {
  const char *key;       // "view": each key that only a picture depends on
  const char *where;     // the row counts where one of these is given; NULL: always
  const char *needs;     // one of these must be given; NULL: none
  const char *not_with;  // none of these may be given; NULL: any may
} OptionTerm;

// The options that were given to one command.
typedef struct GivenOptions {
  const char *command;      // for messages: "pliant bench"
  const Option *own;        // the command's own options, or NULL
  const bool *own_given;    // [OWN_OPTIONS_MAX], in their order: was given and is not =false
  const OptionTerm *terms;  // ends with a row whose key is NULL; or NULL
  const Scene *scene;       // with what the command line said of it; NULL: the command takes none
  bool changes_later;       // a window, in which a user may give a body what it lacks now
  bool reports_gpu;         // it reports of a GPU where it computes on a CPU too
} GivenOptions;

/// Returns true if the own option with this key was given.
bool option_given(const Option *own, const bool *given, const char *key);

/// Fails with the first option that was given and has no effect, and what would give it one.
bool option_terms_check(const GivenOptions *given, Error *error);
