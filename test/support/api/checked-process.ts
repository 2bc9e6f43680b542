import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire, flushCompileCache } from 'node:module';
import type * as checkedAnswers from './checked-answers.ts';

// Loaded before the API in a separate process. Answers that contradict the published document are reported on stderr,
// where the test reads them.

// Most processes are killed, and would not save compiled code for the next one, which takes a third of its start.
setTimeout(flushCompileCache, 1_500).unref();

// Loaded with the first request, because it loads the API.
const load = createRequire(import.meta.url);
let watch: typeof checkedAnswers.watch | undefined;

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { readonly request: unknown; readonly response: unknown };
  if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) return;
  // The metrics are not part of the API.
  if (request.socket.localPort === Number(process.env.METRICS_PORT)) return;
  watch ??= (load('./checked-answers.ts') as typeof checkedAnswers).watch;
  watch(request, response, (sentence) => void process.stderr.write(`not as documented: ${sentence}\n`));
});
