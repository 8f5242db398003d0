// The main program pliant. It runs the command that the first word of the command line names.
#include "app/program.h"

#define COMMAND(row) extern const CommandRow row;
#include "app/commands.def"

static const CommandRow *const commands[] = {
#define COMMAND(row) &row,
#include "app/commands.def"
  NULL
};

static const MovedWord moved[] = {
  { "study", NULL, "pliant-lab study NAME" },
  { "solve", "--problem", "pliant-lab solve poisson|plate|elasticity square|cube|MESH" },
  { "bench", "--baseline", "pliant-lab bench --baseline" },
  { "bench", "--system", "pliant-lab bench --system FILE" },
  { NULL, NULL, NULL },
};

int main(int count, char **words) {
  const Program program = { .name = "pliant", .commands = commands, .moved = moved };
  return program_main(&program, count, words);
}
