import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** A prompt that people choose in their client: a task with places to fill in. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** What the model is told to do. */
  text(given: Readonly<Record<string, string>>): string;
}

const sourced =
  'Use only what the tools return, name the slug of every entity that you mention, and say what could not be found instead of guessing.';

/** Every prompt, in the order in which it is listed. */
export const prompts: readonly Prompt[] = [
  {
    name: 'due_diligence',
    title: 'Due diligence on a company',
    description: 'What is known of a company: team, investors, competitors, and what is missing.',
    arguments: [
      { name: 'company', description: 'Its name or slug.', required: true },
      { name: 'question', description: 'What the decision hangs on.', required: false },
    ],
    text: ({ company = '', question = '' }) => `Do due diligence on the company "${company}".

1. Find it with search_entities (kind "companies"), and read it with get_entity.
2. Find its people: search_entities with kind "people" and the filter company, its id.
3. Look at its investors: search_entities with kind "investors" and the filter company; what else is in their portfolios?
4. Find competitors with find_similar, and compare stage, funding, age and size in a table.
5. List what could not be verified, and contradictions.

${question === '' ? '' : `The decision hangs on this: ${question}\n\n`}Write one page: summary, team, backers, competitors, risks, open questions. ${sourced}`,
  },
  {
    name: 'map_ecosystem',
    title: 'Map an ecosystem',
    description: 'Companies, investors and events of a blockchain ecosystem, a topic or a place, in groups.',
    arguments: [
      {
        name: 'ecosystem',
        description: 'An ecosystem, a topic or a place, such as "solana" or "zk in Berlin".',
        required: true,
      },
      { name: 'focus', description: 'What to look at closely.', required: false },
    ],
    text: ({ ecosystem = '', focus = '' }) => `Map this ecosystem: "${ecosystem}".

1. Count first: search_entities with kind "companies", limit 1 and the facets tag, country and funding_stage.
2. Read the most prominent companies of the three largest tags: search_entities with the filter tag.
3. Find who invests in them: search_entities with kind "investors", and the filter company for the leaders.
4. Find where they meet: search_entities with kind "events", from today on (starts_from), sort "starts".

${focus === '' ? '' : `Look closely at: ${focus}\n\n`}Answer with a map: groups of companies with a line each, who backs them, where they meet, and gaps that nobody fills. ${sourced}`,
  },
  {
    name: 'prepare_for_event',
    title: 'Prepare for an event',
    description: 'Whom to meet at an event and what to ask them.',
    arguments: [
      { name: 'event', description: 'Its name or slug.', required: true },
      { name: 'goal', description: 'What you want from it, such as "raise a seed round".', required: false },
    ],
    text: ({ event = '', goal = '' }) => `Prepare me for the event "${event}".

1. Find it with search_entities (kind "events"; ask for the next edition), and read it with get_entity: dates, place, topics.
2. Find who has to do with it: search_entities with kind "people" and the event's name, then get_entity for the most useful.
3. Look up their companies with lookup_entities.
4. Find events like it with find_similar, in case it is over or far away.

${goal === '' ? '' : `My goal: ${goal}\n\n`}Answer with the facts of the event, ten people in the order in which I should meet them, why each, and an opening question for each. ${sourced}`,
  },
];

/** A prompt with its places filled in. Throws `ProtocolError` for an unknown name and a missing argument. */
export function getPrompt(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult {
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = prompts.map((each) => each.name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such prompt: the prompts are ${names}.`);
  }
  const missing = prompt.arguments.find((argument) => argument.required && (given[argument.name] ?? '').trim() === '');
  if (missing !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument "${missing.name}" is required.`);
  }
  const known = Object.fromEntries(prompt.arguments.map((argument) => [argument.name, given[argument.name] ?? '']));
  const text = prompt.text(known);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
