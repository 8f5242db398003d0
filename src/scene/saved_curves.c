// Translates the names of curves for the saved scene of a cut body: see saved_curves.h.
#include "scene/saved_curves.h"

#include <stdio.h>
#include <string.h>

#include "scene/curve_names.h"
#include "scene/observable.h"

// Returns the index in the saved scene of an entry to which a curve refers; -1: it is left out.
static int entry_now(const ObservedSubject *subject, const KeptEntries *kept) {
  const int *now = strcmp(subject->list, "pins") == 0    ? kept->pin
                   : strcmp(subject->list, "drags") == 0 ? kept->drag
                                                         : kept->force;
  return now[subject->entry];
}

// Replaces `name`, a name of the session's curves, by the name in the saved scene. Returns false if the subject of the
// curve, such as a node, does not exist any more.
static bool translate(char name[SCENE_CURVES], const Session *session, const SavedScene *saved) {
  const char *text;
  Error error = { 0 };
  ObservedSubject subject;
  const Observable *row = observable_find(name, &text, &error);
  if (!row || !observable_find_subject(row, session, text, &subject, &error)) return false;
  if (subject.is_gone) return false;
  if (row->subject && strcmp(row->subject, "NODE") == 0) {
    const int node = saved->node_now[mesh_find_node(&session->mesh, subject.tag)];
    const int64_t number = mesh_node_number(saved->mesh, node);
    snprintf(name, SCENE_CURVES, "%s:%lld", row->name, (long long)number);
    return mesh_find_node(saved->mesh, number) == node;  // false if an earlier body has a node with this number
  }
  if (!subject.list[0]) return true;
  const int entry = entry_now(&subject, saved->kept);
  const bool with_list = strchr(text, '/') != NULL;

  // names to which a curve can refer are unique and do not begin with a digit, so they need no translation
  if (entry >= 0 && !subject.is_named)
    snprintf(name, SCENE_CURVES, "%s:%s%s%d", row->name, with_list ? subject.list : "", with_list ? "/" : "",
             entry + 1);
  return entry >= 0;
}

void saved_curves_translate(char curves[SCENE_CURVES], const Session *session, const SavedScene *saved,
                            char left_out[SCENE_CURVES]) {
  char now[SCENE_CURVES] = "", name[SCENE_CURVES];
  for (const char *next = curves; (next = curve_names_next(next, name));) {
    char before[SCENE_CURVES];
    memcpy(before, name, sizeof before);
    if (!translate(name, session, saved) || !curve_names_add(now, name)) curve_names_add(left_out, before);
  }
  memcpy(curves, now, sizeof now);
}
