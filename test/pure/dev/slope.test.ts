import { slopeOf } from '../../../dev/torture/soak/slope.ts';

const samples = (heaps: readonly number[]) =>
  heaps.map((heapMb, at) => ({ atMinutes: at / 2, heapMb, descriptors: 40 }));

describe('The slope of a heap', () => {
  test('is what it grows by in a minute', () => {
    expect(slopeOf(samples([50, 51, 52, 53]), 'heapMb')).toBeCloseTo(2);
    expect(slopeOf(samples([50, 50, 50, 50]), 'heapMb')).toBe(0);
  });

  test('is small where single samples stray', () => {
    expect(Math.abs(slopeOf(samples([50, 58, 49, 51, 50, 49, 57, 50]), 'heapMb'))).toBeLessThan(0.7);
  });

  test('is not a number where there is nothing to compare', () => {
    expect(slopeOf(samples([50]), 'heapMb')).toBeNaN();
  });
});
