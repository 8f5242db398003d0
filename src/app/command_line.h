// The command line. Each command is described by a CommandRow. A parser reads the words after the command's name into a
// scene and options.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"
#include "scene/scene.h"

enum { COMMAND_PATHS_MAX = 2 };

// Arguments that a command accepts in addition to the options of its table.
typedef enum CommandTakes {
  TAKES_SCENE,   // a scene or a mesh, and every key of a scene as an option
  TAKES_STAGES,  // only options for device, precision, methods (stages), degree and mass
  TAKES_PATHS,   // exactly path_count file names
} CommandTakes;

// The scene, options and names of one command line.
typedef struct CommandInput {
  Scene *scene;   // the scene; for a command with TAKES_PATHS it has the defaults
  void *options;  // [CommandRow.options_size] bytes, the struct that the command's options fill
  const char *paths[COMMAND_PATHS_MAX];
  bool command_given[COMMAND_OPTIONS_MAX];  // entry k is true if option k of the command's table was given, but not as
                                            // =false
} CommandInput;

// One command. Its usage, --help, man page and shell completion are made from this row.
typedef struct CommandRow CommandRow;
struct CommandRow {
  const char *name;           // "bench"; empty: the command that runs if the command line names none
  const char *usage;          // text after the command's name: "[OPTION]... [SCENE|MESH]"
  const char *summary;        // description of the command for --help
  const Option *options;      // the command's table of options, or NULL
  size_t options_size;        // size of the struct that the options fill, bytes
  const OptionTerm *terms;    // options that have an effect only together with other options, or NULL
  const char *default_scene;  // scene that is read if the user names none, as a path below assets/; on a machine
                              // without GPU, default_without_gpu replaces it, unless NULL
  const char *default_without_gpu;
  CommandTakes takes;
  bool pictures;                    // the command draws the scene, so options for the view have an effect
  bool benchmark;                   // the command takes the scene's number of steps, so the key `steps` has an effect
  const char *only;                 // the only scene keys that have an effect, such as "mesh|scale"; NULL: all keys
                                    // have one
  const char *without;              // scene keys that have no effect; NULL: all keys have one
  bool changes_later, reports_gpu;  // as in GivenOptions
  int path_count;
  // Sets members of `row` that are not constant, and defaults of options and scene. NULL: there are none.
  void (*prepare)(CommandRow *row, void *options, Scene *scene);
  bool (*check)(const CommandInput *input, Error *error);  // refuses invalid input before `run`; NULL: no check
  bool (*run)(const CommandInput *input, Error *error);
};

// A command together with the name of its program, for messages.
typedef struct CommandLine {
  const CommandRow *row;
  const char *command;  // program and command, for messages: "pliant bench"
  const char *usage;    // usage of the command: "pliant bench [OPTION]... [SCENE|MESH]"
} CommandLine;

// Value of --help that prints the help as a table with tabs, which scripts/make-manual reads.
#define HELP_TABLE "--help=table"

typedef enum Parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR } Parsed;

/// Reads the scene, and the options that override it. For a command with TAKES_STAGES, `input->scene` must hold the
/// defaults. For --help, prints the help and returns PARSED_HELP.
Parsed command_line_parse(const CommandLine *line, int count, char **words, CommandInput *input, Error *error);
