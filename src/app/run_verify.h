// `pliant verify`: the program held against mathematics, on this machine, by the chosen stages.
#pragma once
#include "app/command_line.h"
#include "verify/verify.h"

typedef struct VerifyOptions {
  int only;                      // number of the one case to run; 0: all
  char json[SCENE_PATH_LENGTH];  // where to write everything as JSON; empty: nowhere
} VerifyOptions;

extern const Option verify_options[];

/// Runs the cases and prints them. Fails where a result is further from its reference than its bound. Of the scene only
/// the stages count.
bool run_verify(Scene *scene, const VerifyOptions *options, const VerifyCase *cases, Error *error);

/// The `prepare` of such a command: stages in double.
void verify_prepare(CommandRow *row, void *options, Scene *scene);
