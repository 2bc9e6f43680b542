import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** One line of a file: its bytes without the line's end, or only its beginning if it is too long. */
export interface RawLine {
  readonly number: number;
  readonly bytes: Buffer;
  readonly tooLong: boolean;
}

/** The lines of one chunk of the file, and the number of bytes read so far. */
export interface LineChunk {
  readonly lines: readonly RawLine[];
  readonly bytesRead: number;
}

const chunkBytes = 256 * 1_024;
const newline = 0x0a;
/** The part kept of a line that is too long, to recognize its format. */
const keptBytes = 64;

/**
 * Reads a file's lines, a chunk of the file at a time, compressed by gzip or not. Holds only
 * a chunk and one line of `maxLineBytes`; the rest of a longer line is dropped. A byte order mark at the beginning is
 * not part of the first line; a carriage return at a line's end stays. The last line needs no newline.
 */
export async function* readLines(path: string, maxLineBytes: number, signal?: AbortSignal): AsyncGenerator<LineChunk> {
  const splitter = new LineSplitter(maxLineBytes);
  const source = createReadStream(path, { highWaterMark: chunkBytes });
  if (signal !== undefined) addAbortSignal(signal, source);
  let bytesRead = 0;
  const count = (bytes: number): void => {
    bytesRead += bytes;
  };
  for await (const chunk of unpacked(counted(source, count))) yield { lines: splitter.split(chunk), bytesRead };
  yield { lines: splitter.end(), bytesRead };
}

async function* counted(source: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}

/** Gzip is recognized by its first bytes, whatever the file's name. */
async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  if (first.done === true) return;
  const whole = joined(first.value, chunks);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // Any failure destroys `gunzip` with the reason, which the loop below throws.
  pipeline(whole, gunzip).catch(() => undefined);
  yield* gunzip;
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

class LineSplitter {
  readonly #maxBytes: number;
  #number = 0;
  #parts: Buffer[] = [];
  #held = 0;
  #tooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  split(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (let to = chunk.indexOf(newline, from); to !== -1; to = chunk.indexOf(newline, from)) {
      this.#hold(chunk.subarray(from, to));
      lines.push(this.#take());
      from = to + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return lines;
  }

  end(): RawLine[] {
    return this.#held > 0 ? [this.#take()] : [];
  }

  #hold(part: Buffer): void {
    this.#held += part.length;
    if (this.#held > this.#maxBytes && !this.#tooLong) {
      this.#tooLong = true;
      this.#parts = [Buffer.concat([...this.#parts, part.subarray(0, keptBytes)]).subarray(0, keptBytes)];
    } else if (!this.#tooLong) {
      this.#parts.push(part);
    }
  }

  #take(): RawLine {
    this.#number += 1;
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    const line = {
      number: this.#number,
      bytes: this.#number === 1 ? withoutByteOrderMark(whole) : whole,
      tooLong: this.#tooLong,
    };
    this.#parts = [];
    this.#held = 0;
    this.#tooLong = false;
    return line;
  }
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
