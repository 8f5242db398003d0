// A command line program: it runs the command that its first word names. pliant and pliant-lab are two.
#pragma once
#include "app/command_line.h"

// A command: `words` follow its name. Returns the program's exit status.
typedef struct Verb {
  const char *name;
  int (*run)(int count, char **words, Scene *scene, Error *error);
} Verb;

// A command, or one of its options, that another program has now.
typedef struct MovedWord {
  const char *command, *option;  // option NULL: the command itself
  const char *now;               // the command line that does it
} MovedWord;

typedef struct Program {
  const char *name;        // "pliant"
  const Verb *commands;    // ends with a row whose name is NULL
  const MovedWord *moved;  // ends with a row whose command is NULL; or NULL
  // runs where no command is named; NULL: a command is needed
  int (*without_command)(int count, char **words, Scene *scene, Error *error);
  void (*print_help)(void);  // required if without_command is NULL
} Program;

/// The exit status of a command: 0 for success and --help, 2 for a wrong command line, else 1.
int program_exit(Parsed parsed, bool ok);

/// The body of main: runs the command, prints the error, if any, and returns the exit status.
int program_main(const Program *program, int count, char **words);
