// `pliant-lab study NAME`: what a paper states, done again on this machine.
#pragma once
#include "scene/options.h"
#include "sim/element/precision.h"

typedef struct StudyOptions {
  int table, figure;  // of the paper; 0: all
  int device;         // auto, cpu, cuda
  int precision;      // the study's, float, double
  int tets;           // of the largest mesh; 0: as time goes
  int dof;            // the same by unknowns
  int seconds;        // what it may take where neither is given
  int memory_budget;  // MB of a GPU; 0: the study's
  int degree;         // 0: all
  int repeat;         // 0: as the device needs
  char mesh[1024];    // in place of the study's own; empty: those
  char json[1024];    // where to write all as JSON; empty: nowhere
} StudyOptions;

extern const Option study_options[];

/// Runs the study of this name and prints its tables and checks. Fails where a check does.
bool run_study(const char *name, const StudyOptions *options, Error *error);
