// `entity-search` writes JSON to a pipe, for programs; people who read the demo's output through a pipe get words.

/** A line of the command line's progress in words; other lines unchanged. Undefined: nothing to print. Pure. */
export function progressText(line: string): string | undefined {
  const told = parse(line);
  if (told === undefined) return line === '' ? undefined : line;
  const text = (name: string): string => String(told[name] ?? '');
  if (told.event === 'progress') {
    const work = `${text('kind')}: ${text('phase')}`;
    return told.read === undefined
      ? `${work}, ${text('done')} of ${text('total')} rows`
      : `${work}, ${text('read')} lines`;
  }
  const about = text('generation') || text('kind');
  if (told.msg === undefined) return line;
  return about === '' ? text('msg') : `${about}: ${text('msg')}`;
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    // It only looks like JSON: it is text for people.
    return undefined;
  }
}

/** Takes pieces of a stream and hands out whole lines in words; `end` hands out the rest. */
export function progressTextWriter(printLine: (line: string) => void): { push(text: string): void; end(): void } {
  let rest = '';
  const tell = (line: string): void => {
    const words = progressText(line);
    if (words !== undefined) printLine(words);
  };
  return {
    push(text) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(line);
    },
    end: () => tell(rest),
  };
}
