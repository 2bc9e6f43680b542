import { EventEmitter } from 'node:events';

/** Functions that receive events, by name. */
export type Handlers<Events extends Record<keyof Events, unknown[]>> = {
  readonly [Name in keyof Events]?: (...values: Events[Name]) => unknown;
};

/** Returns an emitter whose events the handlers receive. */
export function emitterOf<Events extends Record<keyof Events, unknown[]>>(
  handlers: Handlers<Events>,
): EventEmitter<Events> {
  const events = new EventEmitter();
  // The compiler can't pair the names with their functions.
  const pairs = Object.entries(handlers) as [string, (...values: unknown[]) => void][];
  for (const [name, handler] of pairs) events.on(name, handler);
  return events as EventEmitter<Events>;
}
