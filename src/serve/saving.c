// Saves the scene when the user of the page asks for it: see saving.h.
#include "serve/saving.h"

#include <string.h>

#include "live/live_save.h"

bool saving_begin(Saving *saving, Shown *shown, const char *named, Error *error) {
  const Scene *scene = &shown->sim->live.session.scene;
  Command command = { .kind = COMMAND_SAVE,
                      .camera = shown->camera,
                      .views = scene->views,
                      .style = shown->style,
                      .stiffness = scene->mouse_stiffness };
  if (!live_save_path(saving->path[0] ? saving->path : named, scene->path, saving->overwrites, command.path, error))
    return false;
  surface_renderer_fix_range(&shown->renderer, &command.style);
  memcpy(saving->path, command.path, sizeof saving->path);
  return mailbox_send(&shown->sim->commands, &command) ||
         error_set(error, "the simulation is busy; the scene was not saved");
}

bool saving_ended(Saving *saving, const SimStatus *status) {
  const bool ended = status->saved != saving->saved;
  saving->saved = status->saved;
  return ended;
}
