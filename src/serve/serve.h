// `pliant serve SCENE`: shows a simulation in a browser. The program draws and compresses the frames; the page sends
// mouse and keys.
#pragma once
#include "scene/scene.h"

enum { SERVE_TEXT = 136 };

typedef struct ServeOptions {
  int port;                     // 0: any free port
  char host[SERVE_TEXT];        // address on which the program listens
  char token[SERVE_TEXT];       // secret part of the page's address; empty: random
  int size[2];                  // size of the picture, pixels; 0: it follows the page that has the control
  double fps;                   // largest number of frames per second
  int quality;                  // quality of the JPEG pictures, 1 to 100
  char log[SCENE_PATH_LENGTH];  // file for the input log; empty: none
  // scene file that the page saves; empty: a new file in the working directory
  char save[SCENE_PATH_LENGTH];
  double idle;   // s without input after which another page may take the control of body and camera
  bool verbose;  // also reports how long each cut and tear takes to compute
} ServeOptions;

extern const Option serve_options[];

/// Returns the default options: address 127.0.0.1, port 8080, and pictures as large as the page.
ServeOptions serve_defaults(void);

/// Fails if the token has more than 128 characters, or a character that is not a letter, a digit, - or _. Also fails if
/// the host is neither "localhost" nor an address in numbers.
bool serve_check(const ServeOptions *options, Error *error);

/// Runs until Ctrl-C. Fails if the port is in use, the simulation fails, or this build has no web server.
bool serve_run(const Scene *scene, const ServeOptions *options, Error *error);
