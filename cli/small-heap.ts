import { setFlagsFromString } from 'node:v8';

/**
 * Makes this process collect garbage early. A load, an import or a comparison creates hundreds of megabytes of
 * short-lived text, which V8 lets pile up on a machine with much memory (measured: reindex of 200,000 rows 310 MB
 * resident, and 170 with this; import 440 and 140, verify 319 and 143). `--optimize-for-size` would save 10 MB at most,
 * and cost a tenth to a quarter more CPU time. Must be called before the rest of the program is loaded: loading leaves
 * 40 MB of garbage, which was the peak of small reindexes.
 */
export function keepHeapSmall(): void {
  // Collects when the old space has grown by a fifth since the last time, in small steps; the young space does not
  // grow.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
