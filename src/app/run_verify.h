// `pliant verify`: compares computed results with analytic solutions, on this machine and with the chosen methods.
#pragma once
#include "app/command_line.h"
#include "verify/verify.h"

typedef struct VerifyOptions {
  int only;                      // number of the case to run; 0: all cases
  char json[SCENE_PATH_LENGTH];  // file for all results as JSON; empty: none
} VerifyOptions;

extern const Option verify_options[];

/// Runs the cases and prints the results. Fails if an error exceeds its bound. Reads only those keys of the scene that
/// a command with TAKES_STAGES accepts (device, methods, precision, degree and mass).
bool run_verify(Scene *scene, const VerifyOptions *options, const VerifyCase *cases, Error *error);

/// Sets the defaults of `pliant verify`: the default methods, in double precision. This function is the member
/// `prepare` of each CommandRow that runs verification cases.
void verify_prepare(CommandRow *row, void *options, Scene *scene);
