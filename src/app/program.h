// The main function of the programs pliant and pliant-lab. It runs the command that the first word of the command line
// names.
#pragma once
#include "app/command_line.h"

// A command, or one of its options, that was moved to another program.
typedef struct MovedWord {
  const char *command, *option;  // option NULL: the command itself was moved
  const char *now;               // command line that does this now
} MovedWord;

typedef struct Program {
  const char *name;                   // name of the program: "pliant"
  const char *summary;                // for --help of a program that has no default command; otherwise NULL
  const CommandRow *const *commands;  // the last entry is NULL
  const MovedWord *moved;             // the last row has the command NULL; or NULL
} Program;

/// Runs the command and prints the error, if any. Returns the exit status of main: 0 for success and --help, 2 for a
/// wrong command line, otherwise 1.
int program_main(const Program *program, int count, char **words);
