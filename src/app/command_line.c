// Parses the words of a command line into a scene and options, and prints the help: see command_line.h.
#include "app/command_line.h"

#include <stdio.h>
#include <string.h>

#include "base/meant.h"
#include "base/number.h"
#include "scene/session.h"

// Copies to `rows` those rows of scene_options that a command without a scene accepts: methods (stages), precision,
// polynomial degree of the elements, and kind of mass matrix.
static void stage_rows(Option rows[SCENE_OPTIONS_MAX]) {
  int count = 0;
  for (const Option *o = scene_options; o->key; o++)
    if (o->applies == APPLIES_TO_STAGE || strcmp(o->key, "precision") == 0 || strcmp(o->key, "degree") == 0 ||
        strcmp(o->key, "mass") == 0)
      rows[count++] = *o;
  rows[count] = (Option){ 0 };
}

bool command_takes_option(const CommandRow *command, const Option *option) {
  if (command->only && choice_index(command->only, option->key) < 0) return false;
  if (command->without && choice_index(command->without, option->key) >= 0) return false;
  if (strcmp(option->key, "steps") == 0) return command->benchmark;
  if (strcmp(option->key, "curves") == 0 && command->options && option_find(command->options, "probe_file"))
    return true;
  return option->applies != APPLIES_TO_VIEW || command->pictures;
}

// Prints the options of a scene that the command accepts, in groups with titles. A group begins at the row of its key
// `from`, and ends at the next group. given: scene with the default values.
static void print_rows(const CommandLine *line, const Option *rows, const Scene *given, bool as_table) {
  static const struct {
    const char *from, *title;
  } groups[] = { { "mesh", "Body" },
                 { "gravity", "Gravity, contact and friction" },
                 { "dt", "Time steps and tolerances" },
                 { "device", "Device, precision and methods" },
                 { "pins", "Pins, loads and motion" },
                 { "steps", "Run and view" } };
  enum { GROUPS = sizeof groups / sizeof *groups };
  int group = -1, printed = -1;
  bool left_out = false;
  for (const Option *o = rows; o->key; o++) {
    for (int g = 0; g < GROUPS; g++)
      if (strcmp(o->key, groups[g].from) == 0) group = g;
    left_out = left_out || !command_takes_option(line->row, o);
    if (!command_takes_option(line->row, o)) continue;
    if (group > printed) printf(as_table ? "group\t%s\n" : "\n %s\n", groups[group].title);
    printed = group;
    (as_table ? option_print_row : option_print)(o, given);
  }
  if (left_out && !as_table) printf("\n Other scene keys have no effect on this command.\n");
}

// Prints the help of a command. rows: options of a scene that the command may accept, or NULL; their defaults are in
// input->scene.
static void print_help(const CommandLine *line, const Option *rows, const CommandInput *input) {
  printf("usage: %s\n\n%s\n", line->usage, line->row->summary);
  if (line->row->options) printf("\noptions:\n");
  for (const Option *o = line->row->options; o && o->key; o++) option_print(o, input->options);
  if (line->row->takes == TAKES_SCENE)
    printf(
        "\nscene options: each replaces the value of a key in the scene file; for example, --self-contact replaces the "
        "value of self_contact\n");
  if (line->row->takes == TAKES_SCENE) scene_defaults(input->scene);
  if (rows) print_rows(line, rows, input->scene, false);
  printf("\n  %-30s %s\n  %-30s %s\n", "--help", "print this text", "--version", "print the program's version");
  printf("  %-30s %s\n", "--", "end of options; later arguments are file names");
}

// Prints the help as a table with tabs. scripts/make-manual makes the man page and the shell completion from it.
static void print_table(const CommandLine *line, const Option *rows, const CommandInput *input) {
  printf("command\t%s\t%s\t%s\n", line->command,
         line->row->takes == TAKES_SCENE ? "scene"
         : line->row->path_count > 0     ? "files"
                                         : "",
         line->row->summary);
  for (const char *usage = line->usage; *usage; usage += strspn(usage, " \n")) {
    const int length = (int)strcspn(usage, "\n");
    printf("usage\t%.*s\n", length, usage);
    usage += length;
  }
  for (const Option *o = line->row->options; o && o->key; o++) option_print_row(o, input->options);
  if (line->row->takes == TAKES_SCENE) scene_defaults(input->scene);
  if (rows) print_rows(line, rows, input->scene, true);
}

// Returns the table row of an option such as "--dt", or NULL. Searches the table of the command, then the table of the
// scene's keys. *own is true if the command's table has the row. "-o" is short for --output.
static const Option *find_flag(const CommandLine *line, const Option *rows, const char *flag, bool *own) {
  const Option *tables[] = { line->row->options, rows };
  for (int t = 0; t < 2; t++)
    for (const Option *o = tables[t]; o && o->key; o++) {
      char name[64];
      option_flag(o, name);
      if (strcmp(name, flag) != 0 && !(strcmp(flag, "-o") == 0 && strcmp(o->key, "output") == 0)) continue;
      *own = t == 0;
      return o;
    }
  return NULL;
}

// Returns the known option whose name is nearest to an unknown one, for a suggestion in a message.
static Meant nearest_flag(const CommandLine *line, const Option *rows, const char *flag) {
  const Option *tables[] = { line->row->options, rows };
  Meant meant = meant_by(flag);
  for (int t = 0; t < 2; t++)
    for (const Option *o = tables[t]; o && o->key; o++) {
      char name[64];
      option_flag(o, name);
      meant_offer(&meant, name);
    }
  return meant;
}

// Words of a command line that determine which scene or mesh is read.
typedef struct Found {
  const char *name;   // name of a scene or mesh, or NULL
  const char *mesh;   // value of --mesh, or NULL
  const char *parts;  // "shapes" or "bodies" if one of these options is given, or NULL
} Found;

// Stores a word that is no option: the name of the scene, or of a file. `found` is the number of names before it.
static bool take_name(const CommandLine *line, const char *word, int found, CommandInput *input, Found *got,
                      Error *error) {
  if (line->row->takes == TAKES_STAGES || (line->row->takes == TAKES_PATHS && found == line->row->path_count))
    return error_set(error, "%s: unexpected argument \"%s\"; usage: %s", line->command, word, line->usage);
  if (line->row->takes == TAKES_PATHS) {
    input->paths[found] = word;
    return true;
  }
  double number;
  if (got->name && number_is(word, &number))
    return error_set(error, "%s: unexpected argument \"%s\"; write numbers of a vector with commas, such as 0,0,-9.81",
                     line->command, word);
  if (got->name)
    return error_set(error, "%s: two scenes are given, \"%s\" and \"%s\"; give one", line->command, got->name, word);
  got->name = word;
  return true;
}

// Reads the words in order, and stores the names of scene, mesh or bodies in `got`. command_line_parse calls this
// function twice. With `set_scene` false, it sets only options of the command; with `set_scene` true, only options of
// the scene, which are in the table `rows`.
static Parsed walk(const CommandLine *line, const Option *rows, int count, char **words, CommandInput *input,
                   bool set_scene, Found *got, Error *error) {
  int found = 0;       // number of names of files or scenes read so far
  bool names = false;  // "--" was read: all further words are file names
  for (int w = 0; w < count; w++) {
    const char *word = words[w];
    if (!names && strcmp(word, "--") == 0) {
      names = true;
      continue;
    }
    if (!names && strcmp(word, HELP_TABLE) == 0) {
      print_table(line, rows, input);
      return PARSED_HELP;
    }
    if (!names && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      print_help(line, rows, input);
      return PARSED_HELP;
    }
    if (names || word[0] != '-' || word[1] == '\0') {
      if (!take_name(line, word, found, input, got, error)) return PARSED_ERROR;
      found++;
      continue;
    }
    char flag[64];
    const char *equals = strchr(word, '=');
    snprintf(flag, sizeof flag, "%.*s", equals ? (int)(equals - word) : 63, word);
    bool own;
    const Option *option = find_flag(line, rows, flag, &own);
    if (!option) {
      char text[96];
      const Meant meant = nearest_flag(line, rows, flag);
      error_set(error, "%s: unknown option %s%s; %s --help lists all options", line->command, flag,
                meant_text(&meant, text), line->command);
      return PARSED_ERROR;
    }
    if (!own && !command_takes_option(line->row, option)) {
      error_set(error, "%s: %s has no effect on this command; %s --help lists the options that do", line->command, flag,
                line->command);
      return PARSED_ERROR;
    }
    const bool is_flag = option->type == OPTION_FLAG;
    if (is_flag && equals && strcmp(equals, "=false") != 0 && strcmp(equals, "=true") != 0) {
      error_set(error, "%s: %s takes no value except =true or =false", line->command, flag);
      return PARSED_ERROR;
    }
    const char *value = equals ? equals + 1 : is_flag ? "true" : w + 1 < count ? words[++w] : NULL;
    if (!value) {
      error_set(error, "%s: %s needs a value", line->command, flag);
      return PARSED_ERROR;
    }
    if (!own && strcmp(option->key, "mesh") == 0) got->mesh = value;
    if (!own && (strcmp(option->key, "shapes") == 0 || strcmp(option->key, "bodies") == 0)) got->parts = option->key;
    if (own && !(is_flag && strcmp(value, "false") == 0)) input->command_given[option - line->row->options] = true;

    // `walk` runs twice: once it sets options of the scene, once those of the command. Skip options of the other kind.
    if (own == set_scene) continue;
    if (!option_set_text(option, own ? input->options : (void *)input->scene, value, error)) return PARSED_ERROR;
    if (!own) scene_note_option(input->scene, option, value);
  }

  if (line->row->takes == TAKES_PATHS && found < line->row->path_count) {
    error_set(error, "%s: expected %d file name%s; usage: %s", line->command, line->row->path_count,
              line->row->path_count == 1 ? "" : "s", line->usage);
    return PARSED_ERROR;
  }
  return PARSED_OK;
}

// Fails if the command line has added a body of another kind to the scene, for example a mesh to a scene file with
// shapes. of_mesh, of_shapes, of_bodies: before the options of the command line were set, the scene had a mesh, shapes
// or bodies.
static bool one_body(const CommandLine *line, const Scene *scene, bool of_mesh, bool of_shapes, bool of_bodies,
                     Error *error) {
  const bool shapes = scene->shape_count > 0, bodies = scene->body_count > 0;
  if ((scene->mesh[0] != 0) + shapes + bodies <= 1) return true;
  return error_set(error, "%s: --%s cannot be combined with scene %s, %s", line->command,
                   scene->mesh[0] && !of_mesh ? "mesh"
                   : shapes && !of_shapes     ? "shapes"
                                              : "bodies",
                   scene->path,
                   of_shapes   ? "whose body is made of \"shapes\""
                   : of_bodies ? "which contains \"bodies\""
                   : of_mesh   ? "whose body is a mesh"
                               : "which contains another kind of body");
}

// Reads the scene that the words name. Without a name, --mesh, --shapes or --bodies gives the body of a scene with
// default values. Without these options, reads the command's default scene and sets *by_default to true.
static bool read_named(const CommandLine *line, const Found *got, Scene *scene, bool *by_default, Error *error) {
  const CommandRow *row = line->row;
  char path[SCENE_PATH_LENGTH];
  const char *name = got->name ? got->name : got->mesh;
  *by_default = !name && !got->parts;
  if (!name && got->parts) {
    scene_defaults(scene);
    snprintf(scene->path, sizeof scene->path, "--%s", got->parts);
    scene->mesh_only = true;
    return true;
  }
  if (!name && row->takes == TAKES_SCENE) {
    const bool coarse = row->default_without_gpu && !device_present(DEVICE_CUDA);
    asset_path(coarse ? row->default_without_gpu : row->default_scene, path);
    name = path;
  }
  return !name || scene_read(scene, name, error);
}

static bool check_terms(const CommandLine *line, const CommandInput *input, Error *error) {
  const CommandRow *row = line->row;
  const GivenOptions given = { .command = line->command,
                               .own = row->options,
                               .command_given = input->command_given,
                               .terms = row->terms,
                               .scene = row->takes == TAKES_PATHS ? NULL : input->scene,
                               .changes_later = row->changes_later,
                               .reports_gpu = row->reports_gpu };
  return option_terms_check(&given, error);
}

Parsed command_line_parse(const CommandLine *line, int count, char **words, CommandInput *input, Error *error) {
  Scene *scene = input->scene;

  // The first call of `walk` sets the command's options and finds the scene's name. Then the scene is read. The second
  // call replaces values of the scene by those of options.
  Option stages[SCENE_OPTIONS_MAX];
  const Option *rows = line->row->takes == TAKES_SCENE    ? scene_options
                       : line->row->takes == TAKES_STAGES ? stages
                                                          : NULL;
  Found got = { 0 }, again = { 0 };
  stage_rows(stages);
  Parsed parsed = walk(line, rows, count, words, input, false, &got, error);
  if (parsed == PARSED_OK && line->row->takes == TAKES_PATHS)
    return check_terms(line, input, error) ? PARSED_OK : PARSED_ERROR;
  if (parsed != PARSED_OK) return parsed;
  if (!read_named(line, &got, scene, &input->by_default, error)) return PARSED_ERROR;
  scene_material_begin(scene);
  const bool of_shapes = scene->shape_count > 0, of_bodies = scene->body_count > 0, of_mesh = scene->mesh[0] != 0;
  parsed = walk(line, rows, count, words, input, true, &again, error);
  if (parsed != PARSED_OK) return parsed;
  if (scene->mesh_only && !scene->mesh[0] && !scene->shape_count && !scene->body_count) {
    error_set(error, "%s: %s is empty; give a mesh, shapes or bodies", line->command, scene->path);
    return PARSED_ERROR;
  }
  if (!one_body(line, scene, of_mesh, of_shapes, of_bodies, error)) return PARSED_ERROR;
  if (!scene_material_end(scene, line->command, error)) return PARSED_ERROR;
  scene_choose_contact(scene);
  if (!check_terms(line, input, error)) return PARSED_ERROR;
  if (line->row->takes != TAKES_SCENE) return PARSED_OK;
  return scene_check_mesh(scene, error) && session_check_settings(scene, error) ? PARSED_OK : PARSED_ERROR;
}
