import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embeddings/embedding-server.ts';
import { type Answer, type EmbeddingStage, setEmbeddingStage } from '../support/stages/embeddings.ts';
import { scrape } from '../support/telemetry/scrape.ts';
import { until } from '../support/until.ts';

// Searches by meaning in an API process under load, while its provider of embeddings is killed, hangs, lies and
// recovers.

const dimension = 64;
const callers = 2;
const pauseMs = 600;

const overviews = [
  'A loan: interest from borrowers',
  'Keep private keys on a device that is never online',
  'Swap one asset for another against a pool',
  'Read prices from many exchanges for smart contracts',
  'Prove what you know without telling it',
];

let on: EmbeddingStage;
let server: EmbeddingServer;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  server = resources.use(await startEmbeddingServer({ dimension, meanings }));
  const settings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'words', EMBEDDINGS_DIMENSION: String(dimension) };
  on = resources.use(await setEmbeddingStage(overviews, settings));
  await answerByMeaning();
});

afterAll(() => resources.disposeAsync());

/** Words that no overview has. The server maps them to words of the first one. */
const meanings = { guarantee: 'loan', grandmother: 'loan', punishment: 'interest', friends: 'borrowers' };
const otherWords = Object.keys(meanings);
let asked = 0;
/** Another order of these words each time, so that no vector is cached. */
const newQuery = (): string => {
  asked += 1;
  const more = [...asked.toString(otherWords.length)].map((digit) => otherWords[Number(digit)]);
  return [...otherWords, ...more].join(' ');
};

/** No text is answered by meaning before the vocabulary has vectors, or if its own vector comes too late. */
async function answerByMeaning(): Promise<Answer> {
  let answer = await on.ask(newQuery());
  await until(async () => {
    if (answer.matchedBy !== 'semantic') answer = await on.ask(newQuery());
    return answer.matchedBy === 'semantic';
  }, 'an answer by meaning');
  return answer;
}

/** Searches repeatedly during `work`. Resolves to all answers. */
async function underLoad(work: (answers: readonly Answer[]) => Promise<void>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let over = false;
  const calling = Array.from({ length: callers }, async () => {
    while (!over) {
      answers.push(await on.ask(newQuery()));
      await delay(pauseMs);
    }
  });
  try {
    await work(answers);
  } finally {
    over = true;
    await Promise.all(calling);
  }
  return answers;
}

async function metric(name: string): Promise<number> {
  const port = z.number().parse(on.api.log.find(({ msg }) => msg === 'offering metrics')?.port);
  const { text } = await scrape(port);
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
}

const available = () => metric('entity_search_embedding_available');
const outcomes = (outcome: string) => metric(`entity_search_embedding_requests_total{outcome="${outcome}"}`);

test('a text that shares no words with a company finds it by meaning, and the result is marked as a guess', async () => {
  const answer = await answerByMeaning();
  expect(answer.status).toBe(200);
  expect(answer.names).not.toHaveLength(0);
  expect(await available()).toBe(1);
});

test('a provider that is killed or hangs under load costs results by meaning but no answer, and metrics show it', async () => {
  const answers: Answer[] = [];
  for (const [fault, outcome] of [
    ['down', 'unreachable'],
    ['hang', 'timeout'],
  ] as const) {
    const before = await outcomes(outcome);
    const skipped = await outcomes('skipped');
    let faultMs = 0;
    const isLater = ({ atMs, ms }: Answer) => atMs - ms > faultMs;
    const during = await underLoad(async (given) => {
      await until(() => given.length > callers, 'answers before the fault');
      await server.fail(fault);
      faultMs = performance.now();
      await until(async () => (await available()) === 0, `metrics tell of ${fault}`);
      await until(async () => (await outcomes('skipped')) > skipped, 'the provider is left alone');
      await until(() => given.some(isLater), 'an answer after the fault');
    });
    answers.push(...during);
    const away = during.filter(isLater);
    expect(away.length).toBeGreaterThan(0);
    expect([fault, new Set(away.map(({ matchedBy }) => matchedBy)).has('semantic')]).toEqual([fault, false]);
    expect([fault, (await outcomes(outcome)) > before]).toEqual([fault, true]);
    answers.push(
      ...(await underLoad(async () => {
        await server.fail(null);
        await until(async () => (await available()) === 1, `metrics tell that ${fault} is over`);
        await answerByMeaning();
      })),
    );
  }
  const longest = Math.round(Math.max(...answers.map(({ ms }) => ms)));
  process.stderr.write(`${answers.length} answers while the provider failed in two ways; longest ${longest} ms\n`);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const said = on.api.log.map(({ msg }) => msg);
  // A busy machine may cause a further absence.
  for (const msg of ['searches use no vectors: the provider returns none', 'searches have vectors again'])
    expect(said.filter((one) => one === msg).length).toBeGreaterThanOrEqual(2);
});

test('an index without vectors is searched by words alone', async () => {
  await on.reindex({ EMBEDDINGS: 'off' });
  const known = await on.ask('interest from borrowers');
  expect([known.status, known.names[0]]).toEqual([200, 'Company 1']);
  expect(await on.ask(newQuery())).toMatchObject({ status: 200, names: [] });
});
