// The command line. A CommandRow describes each command. A parser converts the words after the command's name to a
// scene and options.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"
#include "scene/scene.h"

enum { COMMAND_PATHS_MAX = 2 };

// Arguments that a command accepts in addition to the options of its table.
typedef enum CommandTakes {
  TAKES_SCENE,   // a scene or mesh, and every key of a scene as an option
  TAKES_STAGES,  // only the options that choose device, precision, methods (stages), degree and mass
  TAKES_PATHS,   // exactly path_count names
} CommandTakes;

// The scene, options and names of one command line.
typedef struct CommandInput {
  Scene *scene;   // the defaults, for a command with TAKES_PATHS
  void *options;  // [CommandRow.options_size] bytes
  const char *paths[COMMAND_PATHS_MAX];
  bool command_given[COMMAND_OPTIONS_MAX];  // [k] is true if option k of the command's table was given, and not as
                                            // =false
} CommandInput;

// One command. Usage, --help, man page and completion are made from it.
typedef struct CommandRow CommandRow;
struct CommandRow {
  const char *name;           // "bench"; empty: runs if no command is named
  const char *usage;          // text after the name: "[OPTION]... [SCENE|MESH]"
  const char *summary;        // for --help
  const Option *options;      // the command's table of options, or NULL
  size_t options_size;        // size of the struct that the options fill, bytes
  const OptionTerm *terms;    // options that have an effect only together with others, or NULL
  const char *default_scene;  // path below assets/ of the scene that is read if the user names none;
                              // default_without_gpu, if not NULL, replaces it on a machine without GPU
  const char *default_without_gpu;
  CommandTakes takes;
  bool pictures;                    // the command draws the scene, so options of the view have an effect
  bool benchmark;                   // the command runs the scene's number of steps, so `steps` has an effect
  const char *only;                 // the only scene keys that have an effect, "mesh|scale"; NULL: all
  const char *without;              // scene keys that have no effect, or NULL
  bool changes_later, reports_gpu;  // see GivenOptions
  int path_count;
  // Sets the members of `row` that are not constant, and the defaults of options and scene. NULL: no such members.
  void (*prepare)(CommandRow *row, void *options, Scene *scene);
  bool (*check)(const CommandInput *input, Error *error);  // rejects invalid input before `run`; NULL: no check
  bool (*run)(const CommandInput *input, Error *error);
};

// A command with the program's name, for messages.
typedef struct CommandLine {
  const CommandRow *row;
  const char *command;  // for messages: "pliant bench"
  const char *usage;    // "pliant bench [OPTION]... [SCENE|MESH]"
} CommandLine;

// As --help, but prints the rows as a table with tabs, for scripts/make-manual.
#define HELP_TABLE "--help=table"

typedef enum Parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR } Parsed;

/// Reads the scene and the options that override it. For a command with TAKES_STAGES, `input->scene` must hold the
/// defaults. --help prints the help and returns PARSED_HELP.
Parsed command_line_parse(const CommandLine *line, int count, char **words, CommandInput *input, Error *error);
