// The command line: which command, its options, and the scene with its overrides.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"
#include "scene/scene.h"

// What a command takes besides its own options.
typedef enum CommandTakes {
  TAKES_SCENE,   // a scene or mesh, and every key of a scene as an option
  TAKES_STAGES,  // only the options that choose stages
  TAKES_PATHS,   // exactly path_count names
} CommandTakes;

// What follows `pliant` and the command's name.
typedef struct CommandLine {
  const char *command;  // for messages: "pliant bench"
  const char *usage;    // "pliant bench [OPTION]... [SCENE|MESH]"
  const char *summary;  // for --help
  const Option *own;    // the command's own options, or NULL
  void *own_target;
  uint64_t *own_given;        // gets a bit for each of them that was given and is not =false; or NULL
  const OptionTerm *terms;    // which of them have an effect only with others; or NULL
  const char *default_scene;  // below assets/, where none is named; and where that has no GPU, if not NULL
  const char *default_without_gpu;
  CommandTakes takes;
  bool pictures;                    // it shows the scene: options that only a picture depends on count
  bool benchmark;                   // it takes as many steps as the scene says
  const char *only;                 // the scene's keys that have an effect on it, "mesh|scale"; NULL: all
  const char *without;              // keys that have none, or NULL
  bool changes_later, reports_gpu;  // see GivenOptions
  int path_count;
  const char **paths;  // [path_count], to be filled
} CommandLine;

// In place of --help: the same as rows with tabs in between.
#define HELP_TABLE "--help=table"

typedef enum Parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR } Parsed;

/// Reads the scene and everything that overrides it. Without a scene, `scene` must hold its defaults, or with paths may
/// be NULL. --help prints and gives PARSED_HELP.
Parsed command_line_parse(const CommandLine *line, int count, char **words, Scene *scene, Error *error);
