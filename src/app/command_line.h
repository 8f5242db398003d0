// The command line: a row for each command, and the scene and options that the words after its name give.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"
#include "scene/scene.h"

enum { COMMAND_PATHS_MAX = 2 };

// What a command takes besides its own options.
typedef enum CommandTakes {
  TAKES_SCENE,   // a scene or mesh, and every key of a scene as an option
  TAKES_STAGES,  // only the options that choose stages
  TAKES_PATHS,   // exactly path_count names
} CommandTakes;

// The scene, options and names of one command line.
typedef struct CommandInput {
  Scene *scene;   // defaults, if the command takes names
  void *options;  // [options_size] of the row
  const char *paths[COMMAND_PATHS_MAX];
  bool own_given[OWN_OPTIONS_MAX];  // for each of the command's own options: it was given, and not as =false
} CommandInput;

// One command. Usage, --help, man page and completion are made from it.
typedef struct CommandRow CommandRow;
struct CommandRow {
  const char *name;           // "bench"; empty: runs if no command is named
  const char *usage;          // the words after its name: "[OPTION]... [SCENE|MESH]"
  const char *summary;        // for --help
  const Option *options;      // the command's own options, or NULL
  size_t options_size;        // bytes of the struct that they fill
  const OptionTerm *terms;    // which of them have an effect only with others, or NULL
  const char *default_scene;  // below assets/, if none is named; and without a GPU, if not NULL
  const char *default_without_gpu;
  CommandTakes takes;
  bool pictures;                    // it shows the scene: options that only a picture depends on count
  bool benchmark;                   // it takes as many steps as the scene says
  const char *only;                 // the scene's keys that have an effect on it, "mesh|scale"; NULL: all
  const char *without;              // keys that have none, or NULL
  bool changes_later, reports_gpu;  // see GivenOptions
  int path_count;
  // Sets the members of `row` that are no constants, and the defaults of options and scene. NULL: there are none.
  void (*prepare)(CommandRow *row, void *options, Scene *scene);
  bool (*check)(const CommandInput *input, Error *error);  // refuses wrong words before `run`; NULL: all are taken
  bool (*run)(const CommandInput *input, Error *error);
};

// A command under the name of its program.
typedef struct CommandLine {
  const CommandRow *row;
  const char *command;  // for messages: "pliant bench"
  const char *usage;    // "pliant bench [OPTION]... [SCENE|MESH]"
} CommandLine;

// In place of --help: prints the rows with tabs in between.
#define HELP_TABLE "--help=table"

typedef enum Parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR } Parsed;

/// Reads the scene and everything that overrides it. Of a command that takes only stages, `input->scene` must hold its
/// defaults. --help prints and gives PARSED_HELP.
Parsed command_line_parse(const CommandLine *line, int count, char **words, CommandInput *input, Error *error);
