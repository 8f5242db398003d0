// pliant: the program, which runs the command that its first word names.
#include <stdlib.h>

#include "app/command_line.h"
#include "app/program.h"
#include "app/run_bench.h"
#include "app/run_convert.h"
#include "app/run_info.h"
#include "app/run_make.h"
#include "app/run_record.h"
#include "app/run_replay.h"
#include "app/run_solve.h"
#include "app/run_tetrahedralize.h"
#include "app/run_validate.h"
#include "app/run_verify.h"
#include "verify/verify.h"
#include "window/run_window.h"

static int window(int count, char **words, Scene *scene, Error *error) {
  WindowOptions options = window_defaults();
  const CommandLine line = {
    .command = "pliant",
    .usage =
        "pliant [OPTION]... [SCENE|MESH]\n"
        "       pliant record|replay|solve|bench|validate|verify|convert|make|tetrahedralize|info ...   "
        "(each has its own --help)\n       pliant help [COMMAND]\n       pliant --version",
    .summary =
        "Opens a window on a scene, or on a mesh: grab the body with the left mouse button. Without a name, the hand.",
    .own = window_options,
    .own_target = &options,
    .pictures = true,
    .changes_later = true,
    // a CPU can follow the coarse hand
    .default_scene = "scenes/demo.json",
    .default_without_gpu = "scenes/demo_coarse.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  if (parsed == PARSED_OK) scene_for_window(scene);
  return program_exit(parsed, parsed == PARSED_OK && run_window(scene, &options, error));
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
                             .terms = record_terms,
                             .pictures = true,
                             .default_scene = "scenes/drag.json",
                             .default_without_gpu = "scenes/drag_coarse.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_record(scene, &options, error));
}

// in a window, or into the files that are asked for
static int replay(int count, char **words, Scene *scene, Error *error) {
  (void)scene;
  ReplayOptions options = replay_defaults();
  const char *path[1];
  const CommandLine line = { .command = "pliant replay",
                             .usage = "pliant replay LOG [OPTION]...",
                             .summary =
                                 "Replays a session recorded with `pliant --log LOG`, bit for bit: in a window, or, "
                                 "with -o, --video or --vtu, into files.",
                             .own = replay_options(),
                             .own_target = &options,
                             .terms = replay_terms,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = path };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return program_exit(parsed, parsed == PARSED_OK && run_replay(path[0], &options, error));
}

static int bench(int count, char **words, Scene *scene, Error *error) {
  BenchOptions options = { .repeat = 5 };
  const CommandLine line = {
    .command = "pliant bench",
    .usage = "pliant bench [OPTION]... [SCENE|MESH]",
    .summary = "Runs a scene from rest and prints where the time of its steps goes, with Newton and CG counts.",
    .own = bench_options,
    .own_target = &options,
    .terms = bench_terms,
    .benchmark = true,
    .default_scene = "scenes/hand.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_bench(scene, &options, NULL, error));
}

static int validate(int count, char **words, Scene *scene, Error *error) {
  ValidateOptions options = { 0 };
  const CommandLine line = { .command = "pliant validate",
                             .usage = "pliant validate [OPTION]... [SCENE|MESH]",
                             .summary =
                                 "Compares every assembly, with every matrix format, on every device, with a "
                                 "reference in double precision: on four spheres and on the scene's body.",
                             .only = "mesh|shapes|bodies|scale|degree",
                             .own = validate_options,
                             .own_target = &options,
                             .default_scene = "scenes/hand.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_validate(scene, &options, error));
}

static int solve(int count, char **words, Scene *scene, Error *error) {
  SolveOptions options = { .increments = 10 };
  const CommandLine line = {
    .command = "pliant solve",
    .usage = "pliant solve [OPTION]... [SCENE|MESH]",
    .summary = "Finds where a scene's forces and gravity balance, without time, by increments of the load.",
    .own = solve_options,
    .own_target = &options,
    .without =
        "mass|damping|friction|friction_speed|friction_sticks|dt|integrator|first_guess|halvings_max|begin|"
        "drags|cuts|tear_stress|tear_by",
    .default_scene = "scenes/droop.json"
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_solve(scene, &options, error));
}

static int verify(int count, char **words, Scene *scene, Error *error) {
  VerifyOptions options = { 0 };
  scene_defaults(scene);
  scene->simulation.precision = PRECISION_F64;
  const CommandLine line = {
    .command = "pliant verify",
    .usage = "pliant verify [OPTION]...",
    .summary = "Runs twenty cases whose answer is known, and prints reference, result, error and bound.",
    .own = verify_options,
    .own_target = &options,
    .takes = TAKES_STAGES
  };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_verify(scene, &options, verify_cases, error));
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
    .own_given = &options.given,
    .takes = TAKES_PATHS,
    .path_count = 2,
    .paths = paths
  };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return program_exit(parsed, parsed == PARSED_OK && run_convert(paths[0], paths[1], &options, error));
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
                             .own_given = &options.given,
                             .terms = make_terms,
                             .takes = TAKES_PATHS,
                             .path_count = 1,
                             .paths = &shape };
  const Parsed parsed = command_line_parse(&line, count, words, NULL, error);
  return program_exit(parsed, parsed == PARSED_OK && run_make(shape, &options, error));
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
  return program_exit(parsed, parsed == PARSED_OK && run_tetrahedralize(paths[0], paths[1], &options, error));
}

static int info(int count, char **words, Scene *scene, Error *error) {
  const CommandLine line = { .command = "pliant info",
                             .usage = "pliant info [OPTION]... [SCENE|MESH]",
                             .summary =
                                 "Prints what a mesh holds, which stages a simulation of it takes here and why, "
                                 "and the devices and stages of this program.",
                             .without =
                                 "damping|gravity|floor|friction|contact_distance|contact_modulus|"
                                 "friction_speed|dt|integrator|newton|newton_absolute|newton_relative|"
                                 "newton_max|cg_relative|cg_max|first_guess|halvings_max|pins|twist|begin|"
                                 "untangle|forces|drags|tear_by|order",
                             .reports_gpu = true,
                             .default_scene = "scenes/hand.json" };
  const Parsed parsed = command_line_parse(&line, count, words, scene, error);
  return program_exit(parsed, parsed == PARSED_OK && run_info(scene, error));
}

static const Verb commands[] = {
  { "record", record },     { "replay", replay }, { "bench", bench },
  { "validate", validate }, { "verify", verify }, { "solve", solve },
  { "convert", convert },   { "make", make },     { "tetrahedralize", tetrahedralize },
  { "info", info },         { NULL, NULL },
};

static const MovedWord moved[] = {
  { "study", NULL, "pliant-lab study NAME" },
  { "solve", "--problem", "pliant-lab solve poisson|plate|elasticity square|cube|MESH" },
  { "bench", "--baseline", "pliant-lab bench --baseline" },
  { "bench", "--system", "pliant-lab bench --system FILE" },
  { NULL, NULL, NULL },
};

int main(int count, char **words) {
  const Program program = { .name = "pliant", .commands = commands, .moved = moved, .without_command = window };
  return program_main(&program, count, words);
}
