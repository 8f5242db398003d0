// `pliant verify`: compares results of the program on this machine with analytic solutions, for the chosen methods.
#pragma once
#include "app/command_line.h"
#include "verify/verify.h"

typedef struct VerifyOptions {
  int only;                      // number of the only case that is run; 0: all cases
  char json[SCENE_PATH_LENGTH];  // file for all results as JSON; empty: none
} VerifyOptions;

extern const Option verify_options[];

/// Runs the cases and prints the results. Fails if the error of a result exceeds its bound. Only options of
/// TAKES_STAGES are read from the scene.
bool run_verify(Scene *scene, const VerifyOptions *options, const VerifyCase *cases, Error *error);

/// The function `prepare` (CommandRow) of commands that run such cases: sets default methods, in double precision.
void verify_prepare(CommandRow *row, void *options, Scene *scene);
