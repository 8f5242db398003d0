// `pliant-lab study NAME`: repeats the results of a paper on this machine.
#pragma once
#include "scene/options.h"
#include "sim/element/precision.h"

typedef struct StudyOptions {
  int table, figure;  // numbers in the paper; 0: all
  int device;         // auto, cpu, cuda
  int precision;      // default of the study, float, double
  int tets;           // tets of the largest mesh; 0: limited by time
  int dof;            // unknowns of the largest system; 0: limited by time
  int seconds;        // time limit if neither is given
  int memory_budget;  // MB of a GPU; 0: the default of the study
  int degree;         // 0: all
  int repeat;         // 0: depends on the device
  char mesh[1024];    // replaces the study's meshes; empty: these
  char json[1024];    // output of all results as JSON; empty: none
} StudyOptions;

extern const Option study_options[];

/// Runs the study of this name and prints its tables and checks. Fails if a check fails.
bool run_study(const char *name, const StudyOptions *options, Error *error);
