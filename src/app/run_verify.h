// `pliant verify`: compares results of the program with analytic solutions, on this machine, with the chosen methods.
#pragma once
#include "app/command_line.h"
#include "verify/verify.h"

typedef struct VerifyOptions {
  int only;                      // number of the one case to run; 0: all
  char json[SCENE_PATH_LENGTH];  // file for all results as JSON; empty: none
} VerifyOptions;

extern const Option verify_options[];

/// Runs the cases and prints the results. Fails if the error of a result exceeds its bound. Of the scene it uses only
/// the options of TAKES_STAGES.
bool run_verify(Scene *scene, const VerifyOptions *options, const VerifyCase *cases, Error *error);

/// CommandRow.prepare of a command that runs such cases: default methods, in double.
void verify_prepare(CommandRow *row, void *options, Scene *scene);
