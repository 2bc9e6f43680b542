// Elasticsearch's disk watermarks: at `low` it puts no new shards on a node, at `high` it moves shards away, at
// `floodStage` it stops taking documents.

/** As `cluster.routing.allocation.disk.watermark` has them: `85%`, `0.85` or `50gb`, with their `….max_headroom`. */
export type Watermarks = Readonly<Record<string, unknown>>;

export interface Disk {
  readonly totalBytes: number;
  readonly availableBytes: number;
}

export type DiskState = 'roomy' | 'low' | 'high' | 'flood_stage';

const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  tb: 2 ** 40,
  pb: 2 ** 50,
};

/** Bytes of `50gb`; undefined for anything else. */
function bytesOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmgtp]?b)$/i.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** The part of the disk that may be used, of `85%` or `0.85`; undefined for anything else. */
function shareOf(text: string): number | undefined {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const share = percent === '%' ? Number(digits) / 100 : Number(digits);
  return share <= 1 ? share : undefined;
}

/** Bytes that must stay free for the disk to be below a watermark; 0 where it can't be read. */
function wantedFree(watermarks: Watermarks, name: string, totalBytes: number): number {
  const text = String(watermarks[name] ?? '');
  const share = shareOf(text);
  if (share === undefined) return bytesOf(text) ?? 0;
  const headroom = bytesOf(String(watermarks[`${name}.max_headroom`] ?? '')) ?? Number.POSITIVE_INFINITY;
  return Math.min(totalBytes * (1 - share), headroom);
}

/** The highest watermark that a disk has passed. */
export function diskState({ totalBytes, availableBytes }: Disk, watermarks: Watermarks): DiskState {
  for (const name of ['flood_stage', 'high', 'low'] as const) {
    if (availableBytes < wantedFree(watermarks, name, totalBytes)) return name;
  }
  return 'roomy';
}
