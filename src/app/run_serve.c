// `pliant serve`: shows a scene in a browser.
#include "app/command_line.h"
#include "serve/serve.h"

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(ServeOptions *)options = serve_defaults();
}

static bool check(const CommandInput *input, Error *error) {
  return serve_check(input->options, error);
}

static bool run(const CommandInput *input, Error *error) {
  return serve_run(input->scene, input->options, error);
}

extern const CommandRow serve_command;
const CommandRow serve_command = {
  .name = "serve",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Shows a scene or a mesh in a browser, in which the left mouse button pulls the body. The pictures are drawn and "
      "the motion is computed on this machine. Prints the address of the page. Ctrl-C ends the command.",
  .options = serve_options,
  .options_size = sizeof(ServeOptions),
  .pictures = true,
  .changes_later = true,
  .default_scene = "scenes/demo.json",
  .default_without_gpu = "scenes/demo_coarse.json",
  .prepare = prepare,
  .check = check,
  .run = run,
};
