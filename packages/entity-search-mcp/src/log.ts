/** The log of the program, for people. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** Writes lines to stderr; stdout belongs to the protocol. */
export function createLog(stream: Pick<NodeJS.WriteStream, 'write'>): Log {
  const write = (line: string): void => void stream.write(`entity-search-mcp: ${line}\n`);
  return { info: write, warn: write };
}
