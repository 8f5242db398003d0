// Drops a file on the first window that accepts files, as a file manager does by the protocol XDND, version 5. usage:
// drop_file PATH. Exit status 77: no display.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Display *display;

static Atom atom(const char *name) {
  return XInternAtom(display, name, False);
}

// Returns the first window, among `at` and the windows below it, that accepts files (has the property XdndAware); None:
// there is none.
static Window find_target(Window at) {
  Window root, parent, *children = NULL, found = None;
  unsigned count = 0;
  Atom type;
  int format;
  unsigned long items, left;
  unsigned char *value = NULL;
  if (XGetWindowProperty(display, at, atom("XdndAware"), 0, 1, False, AnyPropertyType, &type, &format, &items, &left,
                         &value) == Success &&
      value) {
    XFree(value);
    return at;
  }
  if (!XQueryTree(display, at, &root, &parent, &children, &count)) return None;
  for (unsigned k = 0; k < count && found == None; k++) found = find_target(children[k]);
  if (children) XFree(children);
  return found;
}

static void send(Window target, Window source, const char *name, long a, long b, long c, long d) {
  XEvent event = { .xclient = { .type = ClientMessage,
                                .display = display,
                                .window = target,
                                .message_type = atom(name),
                                .format = 32,
                                .data = { .l = { (long)source, a, b, c, d } } } };
  XSendEvent(display, target, False, NoEventMask, &event);
  XFlush(display);
}

// Waits for the next event. Returns 0 if none arrives within 10 s.
static int next_event(XEvent *event) {
  for (int k = 0; k < 1000; k++) {
    if (XPending(display)) {
      XNextEvent(display, event);
      return 1;
    }
    usleep(10000);
  }
  return 0;
}

static void answer(const XSelectionRequestEvent *request, const char *path) {
  char list[4200];
  const int length = snprintf(list, sizeof list, "file://%s\r\n", path);
  XChangeProperty(display, request->requestor, request->property, request->target, 8, PropModeReplace,
                  (const unsigned char *)list, length);
  XEvent event = { .xselection = { .type = SelectionNotify,
                                   .display = display,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time } };
  XSendEvent(display, request->requestor, False, NoEventMask, &event);
  XFlush(display);
}

int main(int count, char **words) {
  display = XOpenDisplay(NULL);
  if (!display || count != 2) return 77;
  const Window root = DefaultRootWindow(display);
  const Window source = XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0), target = find_target(root);
  if (target == None) {
    fprintf(stderr, "no window accepts dropped files\n");
    return 1;
  }
  XSetSelectionOwner(display, atom("XdndSelection"), source, CurrentTime);
  send(target, source, "XdndEnter", 5L << 24, (long)atom("text/uri-list"), 0, 0);
  send(target, source, "XdndPosition", 0, 100L << 16 | 100, CurrentTime, (long)atom("XdndActionCopy"));
  XEvent event;
  while (next_event(&event)) {
    if (event.type == SelectionRequest) answer(&event.xselectionrequest, words[1]);
    if (event.type != ClientMessage) continue;
    if (event.xclient.message_type == atom("XdndStatus")) send(target, source, "XdndDrop", 0, CurrentTime, 0, 0);
    if (event.xclient.message_type == atom("XdndFinished")) {
      XCloseDisplay(display);
      return 0;
    }
  }

  fprintf(stderr, "the window did not accept the dropped file\n");
  return 1;
}
