// The command line. A CommandRow describes each command. The parser reads the words after the command's name into a
// scene and a struct of options.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"
#include "scene/scene.h"

enum { COMMAND_PATHS_MAX = 2 };  // maximum number of file names of a command

// Arguments that a command accepts in addition to its own options.
typedef enum CommandTakes {
  TAKES_SCENE,   // a scene or a mesh, and every key of a scene as an option
  TAKES_STAGES,  // only options for device, precision, methods (stages), degree and mass
  TAKES_PATHS,   // exactly path_count file names
} CommandTakes;

// A parsed command line: the scene, the command's options and its file names.
typedef struct CommandInput {
  Scene *scene;   // for a command with TAKES_PATHS: unused, all bytes are 0
  void *options;  // the command's struct of options, [CommandRow.options_size] bytes
  const char *paths[COMMAND_PATHS_MAX];
  bool by_default;  // the command line names no scene and no body, so `scene` is the command's default scene
  // entry k: option k of the command's table was given; a flag with the value =false does not count as given
  bool command_given[COMMAND_OPTIONS_MAX];
} CommandInput;

// One command. Usage, --help, man page and shell completion are made from this row.
typedef struct CommandRow CommandRow;
struct CommandRow {
  const char *name;         // "bench"; "" for the command that runs if the command line names none
  const char *usage;        // text after the command's name: "[OPTION]... [SCENE|MESH]"
  const char *summary;      // one or two sentences for --help
  const Option *options;    // the command's table of options, or NULL
  size_t options_size;      // size of the struct that the options fill, bytes
  const OptionTerm *terms;  // rules for options that need or exclude other options, or NULL
  // path, below assets/, of the scene that is read if the user names no scene; NULL: no scene is read
  const char *default_scene;
  const char *default_without_gpu;  // is read in place of default_scene without a GPU; NULL: default_scene
  CommandTakes takes;
  bool pictures;        // the command draws pictures, so it accepts options of the view
  bool benchmark;       // the command runs the scene's `steps`, so it accepts this key as an option
  const char *only;     // the scene keys that the command accepts, such as "mesh|scale"; NULL: all
  const char *without;  // scene keys that the command does not accept, in the same form; NULL: none
  // changes_later: opens a window in which the user can change the scene. reports_gpu: the command reports about GPUs
  // even if it computes on the CPU
  bool changes_later, reports_gpu;
  int path_count;  // number of file names, for TAKES_PATHS
  // Sets the defaults of the options. May also set members of `row` and the scene, for values that are known only at
  // run time. NULL: the default of every option is 0.
  void (*prepare)(CommandRow *row, void *options, Scene *scene);
  bool (*check)(const CommandInput *input, Error *error);  // fails on invalid input, before `run`; NULL: no check
  bool (*run)(const CommandInput *input, Error *error);    // executes the command
};

// A command and the texts that messages use for it.
typedef struct CommandLine {
  const CommandRow *row;
  const char *command;  // program and command, for messages: "pliant bench"
  const char *usage;    // usage of the command: "pliant bench [OPTION]... [SCENE|MESH]"
} CommandLine;

// The option that prints help as a table with tabs, which scripts/make-manual and scripts/make-reference read.
#define HELP_TABLE "--help=table"

typedef enum Parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR } Parsed;

/// Returns true if the command accepts this option of a scene, because the option has an effect in the command.
bool command_takes_option(const CommandRow *command, const Option *option);

/// Parses words [count], the command line after the command's name: reads the scene that they name, then sets the
/// options. A command with TAKES_STAGES reads no scene, so `input->scene` must hold the defaults. For --help, prints
/// the help and returns PARSED_HELP.
Parsed command_line_parse(const CommandLine *line, int count, char **words, CommandInput *input, Error *error);
