// The main function of the programs pliant and pliant-lab. It runs the command that the first word names.
#pragma once
#include "app/command_line.h"

// A command, or an option of a command, that an earlier version had and that is now in another program. The error
// message about it contains the command line to use instead.
typedef struct MovedWord {
  const char *command, *option;  // option NULL: the whole command was moved
  const char *now;               // command line to use instead
} MovedWord;

typedef struct Program {
  const char *name;                   // name of the program: "pliant"
  const char *summary;                // description for --help of a program without a default command; otherwise NULL
  const CommandRow *const *commands;  // all commands; the last entry is NULL
  // words that are now in another program; the last row has the command NULL. NULL: no words
  const MovedWord *moved;
} Program;

/// Runs the command that words [count], the arguments of main, name. If it fails, prints its error. Returns the exit
/// status of main: 0 for success and --help, 2 for a wrong command line or scene, otherwise 1.
int program_main(const Program *program, int count, char **words);
