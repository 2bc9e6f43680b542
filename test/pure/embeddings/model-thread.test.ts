import { ModelThread } from '../../../src/embeddings/local/model-thread.ts';
import { localModels } from '../../../src/embeddings/local/models.ts';
import { until } from '../../support/until.ts';

const data = { model: localModels['all-minilm-l6-v2'], modelPath: '', isBackground: false };
const script = new URL('../../support/embeddings/scripted-thread.ts', import.meta.url);

let thread: ModelThread;

beforeEach(() => {
  thread = new ModelThread({ data, stuckMs: 10_000, script });
});

afterEach(() => thread.stop());

const embed = (text: string) => thread.embed({ text, tokensMax: 64 });

test('one thread serves all texts, and a text that the model refuses does not end it', async () => {
  const first = await embed('any');
  await expect(embed('refuse')).rejects.toMatchObject({
    reason: 'rejected',
    message: expect.stringContaining('refused'),
  });
  await expect(embed('any')).resolves.toEqual(first);
});

test.each([
  ['crash', 'unreachable'],
  ['end', 'unreachable'],
  ['lack a file', 'misconfigured'],
])('after a thread that does "%s", the text fails and another thread is started', async (text, reason) => {
  const first = await embed('any');
  await expect(embed(text)).rejects.toMatchObject({ reason });
  await thread.stop();
  await expect(embed('any')).resolves.not.toEqual(first);
});

test('while a stuck thread has not ended, no other is started', async () => {
  thread = new ModelThread({ data, stuckMs: 250, script });
  const stuck = { reason: 'unreachable', message: 'The local model is stuck for 250 ms.' };
  // A thread that starts slowly, on a busy machine, counts as stuck as well.
  const succeeds = () => embed('any').then(Boolean, () => false);
  await until(succeeds, 'the start of a thread');
  await expect(embed('stick')).rejects.toMatchObject(stuck);
  await expect(embed('any')).rejects.toMatchObject(stuck);
  await thread.stop();
  await until(succeeds, 'the start of another thread');
});
