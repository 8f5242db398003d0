// pliant: the program, which runs the command that its first word names.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/run_bench.h"
#include "app/run_convert.h"
#include "app/run_info.h"
#include "app/run_make.h"
#include "app/run_record.h"
#include "app/run_replay.h"
#include "app/run_solve.h"
#include "app/run_steady.h"
#include "app/run_study.h"
#include "app/run_tetrahedralize.h"
#include "app/run_validate.h"
#include "app/run_verify.h"
#include "base/interrupt.h"
#include "base/array.h"
#include "base/log.h"
#include "base/meant.h"
#include "base/memory.h"
#include "scene/json_file.h"
#include "study/study.h"
#include "window/run_window.h"

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_BAD_LINE = 2 };

static int exit_code(Parsed parsed, bool ok) {
  if (parsed == PARSED_HELP) return EXIT_GOOD;
  return parsed == PARSED_ERROR ? EXIT_BAD_LINE : ok ? EXIT_GOOD : EXIT_FAILED;
}

static int window(int count, char **words, Scene *scene, Error *error) {
  WindowOptions options = window_defaults();
  const CommandLine line = {
    .command = "pliant",
    .usage =
        "pliant [OPTION]... [SCENE|MESH]\n"
        "       pliant record|replay|solve|bench|validate|verify|convert|make|tetrahedralize|study|info ...   "
        "(each has its own --help)\n       pliant help [COMMAND]\n       pliant --version",
    .summary =
        "Opens a window on a scene, or on a mesh: grab the body with the left mouse button. Without a name, the hand.",
    .own = window_options,
    .own_target = &options,
    .pictures = true,
    // a CPU can follow the coarse hand
    .default_scene = "scenes/demo.json",
    .default_without_gpu = "scenes/demo_coarse.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  if (parsed == PARSED_OK) scene_for_window(scene);
  return exit_code(parsed, parsed == PARSED_OK && run_window(scene, &options, error));
}

static int record(int count, char **words, Scene *scene, Error *error) {
  RecordOptions options = record_defaults();
  const CommandLine line = { .command = "pliant record",
                             .usage = "pliant record [OPTION]... [SCENE|MESH] -o DIR",
                             .summary =
                                 "Records a scene without a window, as numbered PNG files and as a film. Without a "
                                 "name, a finger that is dragged.",
                             .own = record_options,
                             .own_target = &options,
                             .pictures = true,
                             .default_scene = "scenes/drag.json",
                             .default_without_gpu = "scenes/drag_coarse.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_record(scene, &options, error));
}

// in a window, or into the files that are asked for
static int replay(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  ReplayOptions options = replay_defaults();
  const char *path[1];
  const CommandLine line = { .command = "pliant replay",
                             .usage = "pliant replay LOG [OPTION]...",
                             .summary =
                                 "Does again what `pliant --log LOG` wrote down, bit for bit: in a window, or, "
                                 "where -o, --video or --vtu is given, into files.",
                             .own = replay_options(),
                             .own_target = &options,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = path };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_replay(path[0], &options, error));
}

static int bench(int count, char **words, Scene *scene, Error *error) {
  BenchOptions options = { .repeat = 5 };
  const CommandLine line = {
    .command = "pliant bench",
    .usage = "pliant bench [OPTION]... [SCENE|MESH]",
    .summary = "Runs a scene from rest and prints where the time of its steps goes, with Newton and CG counts.",
    .own = bench_options,
    .own_target = &options,
    .benchmark = true,
    .default_scene = "scenes/hand.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_bench(scene, &options, error));
}

static int validate(int count, char **words, Scene *scene, Error *error) {
  ValidateOptions options = { 0 };
  const CommandLine line = { .command = "pliant validate",
                             .usage = "pliant validate [OPTION]... [SCENE|MESH]",
                             .summary =
                                 "Holds every assembly, into every format, on every device, against plain code in "
                                 "double: on four spheres and on "
                                 "the scene's mesh.",
                             .own = validate_options,
                             .own_target = &options,
                             .default_scene = "scenes/hand.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_validate(scene, &options, error));
}

// whether --problem stands among the options
static bool asks_for_problem(int count, char **words) {
  for (int w = 0; w < count && strcmp(words[w], "--") != 0; w++)
    if (strncmp(words[w], "--problem", 9) == 0 && (words[w][9] == '=' || !words[w][9])) return true;
  return false;
}

static int solve_steady(int count, char **words, Error *error) {
  SteadyOptions options = steady_option_defaults();
  const char *name;
  const CommandLine line = {
    .command = "pliant solve --problem",
    .usage = "pliant solve --problem poisson|plate|elasticity [OPTION]... square|cube|MESH",
    .summary =
        "Solves a problem without time on a grid or a mesh: poisson is -div(k grad phi) = f, plate a thin plate that "
        "bends, elasticity a body that moves little; sources and what the boundary does are formulas.",
    .own = steady_options,
    .own_target = &options,
    .takes = TAKES_PATHS,
    .path_count = 1,
    .paths = &name
  };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_steady(name, &options, error));
}

static int solve(int count, char **words, Scene *scene, Error *error) {
  if (asks_for_problem(count, words)) return solve_steady(count, words, error);
  SolveOptions options = { .increments = 10 };
  const CommandLine line = {
    .command = "pliant solve",
    .usage =
        "pliant solve [OPTION]... [SCENE|MESH]\n"
        "       pliant solve --problem poisson|plate|elasticity [OPTION]... square|cube|MESH   (has its own --help)",
    .summary = "Finds where a scene's forces and gravity balance, without time, by increments of the load.",
    .own = solve_options,
    .own_target = &options,
    .default_scene = "scenes/droop.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_solve(scene, &options, error));
}

static int verify(int count, char **words, Scene *scene, Error *error) {
  VerifyOptions options = { 0 };
  scene_defaults(scene);
  scene->simulation.precision = PRECISION_F64;
  const CommandLine line = {
    .command = "pliant verify",
    .usage = "pliant verify [OPTION]...",
    .summary = "Runs twenty-four cases whose answer is known, and prints reference, result, error and bound.",
    .own = verify_options,
    .own_target = &options,
    .takes = TAKES_STAGES
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_verify(scene, &options, error));
}

static int study(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  StudyOptions options = { .seconds = 60 };
  const char *name;
  char names[200], summary[400];
  snprintf(summary, sizeof summary,
           "Does again what a paper states, on this machine: its tables beside ours, and checks. NAME: %s.",
           study_names(names));
  const CommandLine line = { .command = "pliant study",
                             .usage = "pliant study NAME [OPTION]...",
                             .summary = summary,
                             .own = study_options,
                             .own_target = &options,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = &name };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_study(name, &options, error));
}

static int convert(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  ConvertOptions options = { 0 };
  const char *paths[2];
  const CommandLine line = {
    .command = "pliant convert",
    .usage = "pliant convert [OPTION]... IN OUT",
    .summary = "Reads a mesh in any format and writes it in another, by the names' endings; .gz packs.",
    .own = convert_options,
    .own_target = &options,
    .takes = TAKES_PATHS,
    .path_count = 2,
    .paths = paths
  };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_convert(paths[0], paths[1], &options, error));
}

static int make(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  MakeOptions options = { .grid = { .cells = 8, .degree = 1 } };
  const char *shape;
  const CommandLine line = { .command = "pliant make",
                             .usage = "pliant make [OPTION]... box|beam|sphere|cylinder|torus|square|cube -o FILE",
                             .summary =
                                 "Makes a tetrahedral mesh of a simple shape, standing on z = 0, or a grid of any "
                                 "shape of cells: a square or a cube from the origin.",
                             .own = make_options,
                             .own_target = &options,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = &shape };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_make(shape, &options, error));
}

static int tetrahedralize(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  TetrahedralizeOptions options = { .quality = 1.4 };
  const char *paths[2];
  const CommandLine line = {
    .command = "pliant tetrahedralize",
    .usage = "pliant tetrahedralize [OPTION]... SURFACE OUT",
    .summary = "Fills a closed surface (.obj .off .stl .ply) with tetrahedra, by TetGen if it is installed.",
    .own = tetrahedralize_options,
    .own_target = &options,
    .takes = TAKES_PATHS,
    .path_count = 2,
    .paths = paths
  };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return exit_code(parsed, parsed == PARSED_OK && run_tetrahedralize(paths[0], paths[1], &options, error));
}

static int info(int count, char **words, Scene *scene, Error *error) {
  const CommandLine line = { .command = "pliant info",
                             .usage = "pliant info [OPTION]... [SCENE|MESH]",
                             .summary =
                                 "Prints what a mesh holds, which stages a simulation of it takes here and why, "
                                 "and the devices and stages of this program.",
                             .default_scene = "scenes/hand.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return exit_code(parsed, parsed == PARSED_OK && run_info(scene, error));
}

typedef struct Verb {
  const char *name;
  int (*run)(int count, char **words, Scene *scene, Error *error);
} Verb;

static const Verb commands[] = {
  { "record", record },     { "replay", replay }, { "bench", bench },
  { "validate", validate }, { "verify", verify }, { "solve", solve },
  { "convert", convert },   { "make", make },     { "tetrahedralize", tetrahedralize },
  { "info", info },         { "study", study },
};

static const Verb *find_command(const char *name) {
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
    if (strcmp(name, commands[k].name) == 0) return &commands[k];
  return NULL;
}

// a word that stands where a command does, and is none: what may have been meant, and what there is
static int refuse_command(const char *word, const char *why, Error *error) {
  char known[200] = "", text[96];
  Meant meant = meant_by(word);
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", commands[k].name);
    meant_offer(&meant, commands[k].name);
  }
  meant_offer(&meant, "help");
  error_set(error, "%.200s: %s%s; there are: help, %s", word, why, meant_text(&meant, text), known);
  return EXIT_BAD_LINE;
}

// the command of the first word, or, where that is a scene, a mesh or an option, the window
static int run(int count, char **words, Scene *scene, Error *error) {
  static char *help[] = { "--help" };
  const char *first = count > 0 ? words[0] : "";
  const Verb *command = find_command(first);
  if (command) return command->run(count - 1, words + 1, scene, error);
  if (strcmp(first, HELP_TABLE) == 0) {
    static char *table[] = { HELP_TABLE };
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) commands[k].run(1, table, scene, error);
  }
  if (strcmp(first, "help") == 0) {
    if (count == 1) return window(1, help, scene, error);
    command = find_command(words[1]);
    return command ? command->run(1, help, scene, error) : refuse_command(words[1], "no such command", error);
  }
  // a name without path and ending is a command's, unless it is there
  if (first[0] && first[0] != '-' && !strpbrk(first, "./") && access(first, F_OK) != 0)
    return refuse_command(first, "no such command, and no such file", error);
  return window(count, words, scene, error);
}

// --version, wherever it stands among the options
static bool asks_for_version(int count, char **words) {
  for (int w = 1; w < count && strcmp(words[w], "--") != 0; w++)
    if (strcmp(words[w], "--version") == 0) return true;
  return false;
}

// Where a standard stream is closed, the next file that is opened would take its number, and get what is printed.
static void hold_standard_files(void) {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
    // opened for reading: writing to it fails, so that lost results are reported
    if (fcntl(descriptor, F_GETFD) < 0) (void)!open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

// results that could not be printed whole are a failure
static int end_output(int code) {
  const bool lost = ferror(stdout);
  if (lost) fputc('\n', stdout);  // so that the system says once more why
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  log_notice("standard output cannot be written: %s", errno ? strerror(errno) : "a part of it was lost");
  return code == EXIT_GOOD ? EXIT_FAILED : code;
}

int main(int count, char **words) {
  hold_standard_files();
  signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is a write that fails, with the system's words
  interrupt_begin();
  json_begin();
  Error error = { 0 };
  if (asks_for_version(count, words)) {
    printf("pliant %s\n", PLIANT_VERSION);
    return end_output(EXIT_GOOD);
  }
  Scene *scene = array_new(1, sizeof *scene, "the scene", &error);  // too large for a short stack
  const int code = scene && memory_bound_check(&error) ? run(count - 1, words + 1, scene, &error) : EXIT_BAD_LINE;
  if (code != EXIT_GOOD) log_notice("%s", error.message);
  free(scene);
  return end_output(code);
}
