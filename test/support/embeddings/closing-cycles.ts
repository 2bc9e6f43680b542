import { readEmbeddings } from '../../../src/config/embeddings.ts';
import { createEmbeddingProvider } from '../../../src/embeddings/create-provider.ts';

// Runs as a separate process: opens the local model, leaves it busy and closes it, again and again, and prints the
// number of cycles. A fault while the model is closed ends the process with a signal, which code can't catch.

const cycles = Number(process.argv[2]);
const text = 'What is read takes a while, so that closing meets the model at work. '.repeat(20);
const settings = readEmbeddings({ EMBEDDINGS: 'local' });
if (settings === null) throw new Error('There is no local model.');
let closed = 0;

for (let cycle = 0; cycle < cycles; cycle += 1) {
  const provider = createEmbeddingProvider(settings);
  // The last ones are closed while the model is loading.
  const isLoading = cycle >= cycles - 3;
  if (!isLoading) await provider.embed(['ready'], { role: 'query', timeoutMs: 30_000 });
  const texts = Array.from({ length: 8 }, () => text);
  const reading = provider.embed(texts, { role: 'document', timeoutMs: 30_000 }).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, cycle * 10));
  await provider.close();
  await reading;
  closed += 1;
}

process.stdout.write(`${closed}\n`);
