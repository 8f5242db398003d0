// A command line program: it runs the command that its first word names. pliant and pliant-lab are two.
#pragma once
#include "app/command_line.h"

// A command, or one of its options, that another program has now.
typedef struct MovedWord {
  const char *command, *option;  // option NULL: the command itself
  const char *now;               // the command line that does it
} MovedWord;

typedef struct Program {
  const char *name;                   // "pliant"
  const char *summary;                // for --help, if a command must be named; or NULL
  const CommandRow *const *commands;  // ends with NULL
  const MovedWord *moved;             // ends with a row whose command is NULL; or NULL
} Program;

/// The body of main: runs the command, prints the error, if any, and returns the exit status: 0 for success and --help,
/// 2 for a wrong command line, else 1.
int program_main(const Program *program, int count, char **words);
