// Tests the mailbox, through which one thread sends commands to another. Commands must arrive complete and in order.
// Drags may fill at most half of the mailbox, so that releases and other commands that must not be lost still fit.
#include "../testing.h"

#include <pthread.h>
#include <sched.h>

#include "live/mailbox.h"

// the sanitizer detects races even if they rarely change a result, so fewer commands suffice
#ifdef __SANITIZE_THREAD__
enum { COMMANDS = 20000 };
#else
enum { COMMANDS = 200000 };
#endif

// Returns an empty mailbox. free() releases it.
static Mailbox *mailbox_new(void) {
  Mailbox *mailbox = aligned_alloc(_Alignof(Mailbox), sizeof *mailbox);
  assert_non_null(mailbox);
  memset(mailbox, 0, sizeof *mailbox);
  return mailbox;
}

static void an_empty_mailbox_gives_nothing(void **state) {
  (void)state;
  Mailbox *mailbox = mailbox_new();
  Command command;
  assert_false(mailbox_take(mailbox, &command));
  free(mailbox);
}

static void a_full_mailbox_still_accepts_the_release(void **state) {
  (void)state;
  Mailbox *mailbox = mailbox_new();
  const Command drag = { .kind = COMMAND_DRAG }, release = { .kind = COMMAND_RELEASE };
  Command command;
  for (int round = 0; round < 3; round++) {  // three rounds, so that indices of the ring buffer wrap around
    int drags = 0, releases = 0;
    while (mailbox_send(mailbox, &drag)) drags++;
    assert_int_equal(drags, MAILBOX_CAPACITY / 2);
    assert_false(mailbox_urgent(mailbox));  // drags must not interrupt a step of the simulation
    while (mailbox_send(mailbox, &release)) releases++;
    assert_int_equal(releases, MAILBOX_CAPACITY / 2);
    assert_true(mailbox_urgent(mailbox));
    for (int k = 0; k < MAILBOX_CAPACITY; k++) {
      assert_true(mailbox_take(mailbox, &command));
      assert_int_equal(command.kind, k < drags ? COMMAND_DRAG : COMMAND_RELEASE);
    }
    assert_false(mailbox_take(mailbox, &command));
  }
  free(mailbox);
}

static void *send_all(void *argument) {
  for (int k = 0; k < COMMANDS; k++) {
    const Command command = { .kind = COMMAND_GRAB, .X = { k, k + 1, k + 2 }, .stiffness = -k };
    while (!mailbox_send(argument, &command)) sched_yield();
  }
  return NULL;
}

static void commands_arrive_whole_and_in_order(void **state) {
  (void)state;
  Mailbox *mailbox = mailbox_new();
  pthread_t sender;
  assert_int_equal(pthread_create(&sender, NULL, send_all, mailbox), 0);
  for (int k = 0; k < COMMANDS;) {
    Command command;
    if (!mailbox_take(mailbox, &command)) {
      sched_yield();
      continue;
    }
    assert_true(command.X[0] == k && command.X[1] == k + 1 && command.X[2] == k + 2 && command.stiffness == -k);
    k++;
  }
  pthread_join(sender, NULL);
  free(mailbox);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_mailbox_gives_nothing),
    cmocka_unit_test(a_full_mailbox_still_accepts_the_release),
    cmocka_unit_test(commands_arrive_whole_and_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
