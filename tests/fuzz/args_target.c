// Parses arbitrary bytes as a command line: see args_target.h.
#include "args_target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command_line.h"

static void check(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "the parser of command lines is wrong: expected %s\n", what);
  abort();
}

// Values of the options of this test's command, which has an option of every type that commands of Pliant have.
typedef struct Own {
  char file[16], kind[8];
  double number, bound, vector[3];
  int count, choice, size[2];
  bool flag, bounded;
} Own;

#define AT(field) OPTION_AT(Own, field)
static const Option own_options[] = {
  { "output", OPTION_TEXT, AT(file), .unit = "FILE", .help = "a text" },
  { "kind", OPTION_TEXT, AT(kind), .choices = "box|ball", .help = "one of some texts" },
  { "number", OPTION_NUMBER, AT(number), OPTION_FROM_TO(-1, 1e9), .unit = "s", .help = "a number" },
  { "bound", OPTION_OPTIONAL, AT(bound), .present = offsetof(Own, bounded), .absent = "auto", OPTION_FROM_TO(0, 1),
    .help = "a number or a word" },
  { "count", OPTION_INTEGER, AT(count), OPTION_FROM_TO(1, 1e9), .help = "a whole number" },
  { "choice", OPTION_CHOICE, AT(choice), .choices = "a|b|c", .help = "a choice" },
  { "vector", OPTION_VECTOR, AT(vector), .unit = "X,Y,Z", .help = "three numbers" },
  { "window_size", OPTION_SIZE, AT(size), OPTION_FROM_TO(16, 8192), .unit = "WxH", .help = "two whole numbers" },
  { "flag", OPTION_FLAG, AT(flag), .help = "a flag" },
  { 0 },
};

void fuzz_command_line(const uint8_t *data, size_t size) {
  enum { WORDS_MAX = 64 };
  static Scene scene;
  char *text = malloc(size + 1), *words[WORDS_MAX];
  check(text != NULL, "enough memory");
  for (int takes = TAKES_SCENE; takes <= TAKES_PATHS; takes++) {
    Error error = { 0 };
    Own own = { 0 };
    int count = 0;

    // a word of a command line cannot contain a zero byte, so zero bytes become spaces
    for (size_t k = 0; k < size; k++) text[k] = data[k] ? (char)data[k] : ' ';
    text[size] = '\0';
    for (char *word = text, *end; count < WORDS_MAX; word = end + 1) {
      end = strchr(word, '\n');
      words[count++] = word;
      if (!end) break;
      *end = '\0';
    }
    scene_defaults(&scene);
    const CommandRow row = { .name = "fuzz",
                             .summary = "a command",
                             .options = own_options,
                             .default_scene = "scenes/hand.json",
                             .takes = (CommandTakes)takes,
                             .path_count = 2 };
    const CommandLine line = { .row = &row, .command = "fuzz", .usage = "fuzz" };
    CommandInput input = { .scene = &scene, .options = &own };
    const Parsed parsed = command_line_parse(&line, count, words, &input, &error);
    check((parsed == PARSED_ERROR) == (error.message[0] != 0), "a scene, the help or a message");
    check(scene.pin_count <= SCENE_PARTS_MAX && scene.drag_count <= SCENE_PARTS_MAX,
          "at most SCENE_PARTS_MAX pins and drags");
    for (int k = 0; k < SCENE_OPTIONS_MAX; k++)
      check(!scene.given[k] || (scene.given[k] >= text && scene.given[k] <= text + size),
            "texts of options that are words of the command line");
  }
  free(text);
}
