// `pliant SCENE`: opens the scene in a window. The program `pliant` runs this command if its command line names no
// other command.
#include "window/run_window.h"

#include "app/command_line.h"

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(WindowOptions *)options = window_defaults();
}

static bool run(const CommandInput *input, Error *error) {
  WindowOptions options = *(const WindowOptions *)input->options;
  // with --frames, a script and not a user runs the program
  options.start = options.start || (input->by_default && options.frames == 0);
  return run_window(input->scene, &options, error);
}

extern const CommandRow window_command;
const CommandRow window_command = {
  .name = "",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Opens a scene or a mesh in a window, in which the left mouse button pulls the body. Without a name it opens a "
      "start page with examples and recent files, over the shipped scene \"demo\", a hand.",
  .options = window_options,
  .options_size = sizeof(WindowOptions),
  .pictures = true,
  .changes_later = true,
  // without a GPU, the demo has a coarser mesh, which a CPU simulates in real time
  .default_scene = "scenes/demo.json",
  .default_without_gpu = "scenes/demo_coarse.json",
  .prepare = prepare,
  .run = run,
};
