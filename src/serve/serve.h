// `pliant serve SCENE`: shows a simulation in a browser. The server draws and compresses frames, and the page sends
// mouse and keys.
#pragma once
#include "scene/scene.h"

enum { SERVE_TEXT = 136 };

typedef struct ServeOptions {
  int port;                     // 0: a free port
  char host[SERVE_TEXT];        // address on which the server listens
  char token[SERVE_TEXT];       // secret part of the page's address; empty: a random one
  int size[2];                  // size of the picture, pixels
  double fps;                   // maximum number of frames per second
  int quality;                  // quality of the JPEG pictures, 1 to 100
  char log[SCENE_PATH_LENGTH];  // file for the input log; empty: none is written
  double idle;                  // s, time without input after which another page can get the control
  bool verbose;                 // also reports the time that cuts and tears take
} ServeOptions;

extern const Option serve_options[];

/// Returns the defaults: 1280x720 on 127.0.0.1, port 8080.
ServeOptions serve_defaults(void);

/// Refuses a token or an address with characters that an URL does not allow.
bool serve_check(const ServeOptions *options, Error *error);

/// Runs until Ctrl-C. Fails if the port is not available, if the simulation fails, or if this build has no web server.
bool serve_run(const Scene *scene, const ServeOptions *options, Error *error);
