import type { ImportObserver } from '../../indexer/import/import-file.ts';
import type { Progress, Work } from './progress.ts';

/** Shows how much of each file is read, and bad lines as `file:line: path: message`, up to `badLinesShown`. */
export function showImport(progress: Progress, badLinesShown: number): ImportObserver & Disposable {
  let file: Work | undefined;
  let badLines = 0;
  return {
    onNote: (text) => progress.report('info', text),
    onFileStart({ kind, bytes }) {
      file = progress.start({ kind, phase: 'import', total: bytes, unit: 'bytes' });
    },
    onProgress: (counts, done) => file?.update({ ...counts, done }),
    onFileEnd(counts) {
      file?.update({ ...counts });
      file?.[Symbol.dispose]();
    },
    onBadLine({ name }, line, path, message) {
      badLines += 1;
      if (badLines <= badLinesShown) progress.warn(`${name}:${line}: ${path === '' ? '' : `${path}: `}${message}`);
    },
    [Symbol.dispose]() {
      const hidden = badLines - badLinesShown;
      if (hidden > 0) progress.warn(`… and ${hidden} more problems that are not shown.`);
    },
  };
}
