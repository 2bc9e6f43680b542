import { TooManyWalks } from '../../../src/http/errors/errors.ts';
import { createOpenWalks } from '../../../src/http/search/open-cursors.ts';
import { handClock } from '../../support/api.ts';

test('a walk that nobody goes on with leaves its place after its time, one that is gone on with does not', () => {
  const clock = handClock();
  const walks = createOpenWalks({ accountMax: 2, keptMs: 1_000 }, clock);
  walks.begin(1).become('a');
  clock.move(400);
  walks.begin(1).become('b');
  expect(() => walks.begin(1)).toThrow(TooManyWalks);
  clock.move(500);
  walks.goOn(1, 'a');
  clock.move(499);
  expect(() => walks.begin(1)).toThrow('retry in 1 s');
  clock.move(1);
  walks.begin(1).become('c');
  expect(() => walks.goOn(1, 'b')).toThrow(TooManyWalks);
  walks.goOn(1, 'a').leave();
  walks.goOn(1, 'b');
});

test('a place is left once, whoever leaves it, and belongs to one account', () => {
  const walks = createOpenWalks({ accountMax: 1, keptMs: 1_000 }, handClock());
  const place = walks.begin(1);
  place.become('a');
  const same = walks.goOn(1, 'a');
  // Another account that was given the cursor counts it, too.
  const others = walks.goOn(2, 'a');
  expect(() => walks.begin(2)).toThrow(TooManyWalks);
  place.leave();
  same.leave();
  same.leave();
  walks.begin(1);
  expect(() => walks.begin(1)).toThrow(TooManyWalks);
  expect(() => walks.begin(2)).toThrow(TooManyWalks);
  others.leave();
  walks.begin(2);
});
