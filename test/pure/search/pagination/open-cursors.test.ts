import { TooManyCursors } from '../../../../src/http/errors/errors.ts';
import { createOpenCursors } from '../../../../src/http/search/open-cursors.ts';
import { handClock } from '../../../support/api/in-process.ts';

test('an unused cursor loses its slot when its time is over, and a used one keeps it', () => {
  const clock = handClock();
  const openCursors = createOpenCursors({ accountMax: 2, keptMs: 1_000 }, clock);
  openCursors.acquire(1, null).assign('a');
  clock.move(400);
  openCursors.acquire(1, null).assign('b');
  expect(() => openCursors.acquire(1, null)).toThrow(TooManyCursors);
  clock.move(500);
  openCursors.acquire(1, 'a');
  clock.move(499);
  expect(() => openCursors.acquire(1, null)).toThrow('retry in 1 s');
  clock.move(1);
  openCursors.acquire(1, null).assign('c');
  expect(() => openCursors.acquire(1, 'b')).toThrow(TooManyCursors);
  openCursors.acquire(1, 'a').release();
  openCursors.acquire(1, 'b');
});

test('a slot is released once, and belongs to one account', () => {
  const openCursors = createOpenCursors({ accountMax: 1, keptMs: 1_000 }, handClock());
  const slot = openCursors.acquire(1, null);
  slot.assign('a');
  const same = openCursors.acquire(1, 'a');
  // Another account that was given the cursor counts it, too.
  const others = openCursors.acquire(2, 'a');
  expect(() => openCursors.acquire(2, null)).toThrow(TooManyCursors);
  slot.release();
  same.release();
  same.release();
  openCursors.acquire(1, null);
  expect(() => openCursors.acquire(1, null)).toThrow(TooManyCursors);
  expect(() => openCursors.acquire(2, null)).toThrow(TooManyCursors);
  others.release();
  openCursors.acquire(2, null);
});
