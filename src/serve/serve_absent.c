// Replaces serve.c in a build without libwebsockets or libjpeg.
#include "serve/serve.h"

bool serve_run(const Scene *scene, const ServeOptions *options, Error *error) {
  (void)scene, (void)options;
  return error_set(error, "pliant serve: this build has no web server, since the libraries " SERVE_MISSING
                          " were missing; install the packages libwebsockets-dev and libjpeg-dev, then run "
                          "`meson setup --reconfigure build` and build again");
}
