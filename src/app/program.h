// The main function of a command line program, which runs the command that the first word names. Used by pliant and
// pliant-lab.
#pragma once
#include "app/command_line.h"

// A command, or one of its options, that was moved to another program.
typedef struct MovedWord {
  const char *command, *option;  // option NULL: the command itself
  const char *now;               // the command line that replaces it
} MovedWord;

typedef struct Program {
  const char *name;                   // "pliant"
  const char *summary;                // for --help of a program without a default command; or NULL
  const CommandRow *const *commands;  // ends with NULL
  const MovedWord *moved;             // ends with a row whose command is NULL; or NULL
} Program;

/// Runs the command and prints the error, if any. Returns the exit status of main: 0 for success and --help, 2 for a
/// wrong command line, otherwise 1.
int program_main(const Program *program, int count, char **words);
