// The program pliant-lab. It repeats studies of four published papers (docs/papers/001.md to 004.md), solves stationary
// problems, and compares Pliant with other programs.
#include "app/program.h"
#include "lab/rows.h"

#define COMMAND(row) extern const CommandRow row;
#include "lab/commands.def"

static const CommandRow *const commands[] = {
#define COMMAND(row) &row,
#include "lab/commands.def"
  NULL
};

int main(int count, char **words) {
  const Program program = {
    .name = "pliant-lab",
    .summary =
        "Repeats the measurements of four published papers, solves stationary problems, and compares Pliant with other "
        "programs.",
    .commands = commands,
  };
  lab_add_stages();
  return program_main(&program, count, words);
}
