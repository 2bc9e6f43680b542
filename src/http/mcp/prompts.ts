import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** A prompt that people choose in their client: a task with arguments. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** Returns the instructions for the model. */
  text(given: Readonly<Record<string, string>>): string;
}

const sourced =
  'Use only facts that the tools return, name the slug of every entity that you mention, and list missing facts instead of guessing.';

/** All prompts in the order of the list. */
export const prompts: readonly Prompt[] = [
  {
    name: 'due_diligence',
    title: 'Due diligence on a company',
    description: 'Facts about a company: team, investors, competitors, and missing information.',
    arguments: [
      { name: 'company', description: 'Its name or slug.', required: true },
      { name: 'question', description: 'The question that decides.', required: false },
    ],
    text: ({ company = '', question = '' }) => `Do due diligence on the company "${company}".

1. Find it with search_entities (kind "companies"), and read it with get_entity.
2. Find its people: search_entities with kind "people" and the filter company, its id.
3. Look at its investors: search_entities with kind "investors" and the filter company; what else is in their portfolios?
4. Find competitors with find_similar, and compare stage, funding, age and size in a table.
5. List what could not be verified, and contradictions.

${question === '' ? '' : `The decision depends on this question: ${question}\n\n`}Write one page: summary, team, backers, competitors, risks, open questions. ${sourced}`,
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
      { name: 'focus', description: 'The aspect to examine closely.', required: false },
    ],
    text: ({ ecosystem = '', focus = '' }) => `Map this ecosystem: "${ecosystem}".

1. Count first: search_entities with kind "companies", limit 1 and the facets tag, country and funding_stage.
2. Read the most prominent companies of the three largest tags: search_entities with the filter tag.
3. Find who invests in them: search_entities with kind "investors", and the filter company for the leaders.
4. Find where they meet: search_entities with kind "events", from today on (starts_from), sort "starts".

${focus === '' ? '' : `Examine closely: ${focus}\n\n`}Answer with a map: groups of companies with a line each, their backers, where they meet, and gaps without a company. ${sourced}`,
  },
  {
    name: 'prepare_for_event',
    title: 'Prepare for an event',
    description: 'People to meet at an event, and questions for them.',
    arguments: [
      { name: 'event', description: 'Its name or slug.', required: true },
      { name: 'goal', description: 'Your goal for the event, such as "raise a seed round".', required: false },
    ],
    text: ({ event = '', goal = '' }) => `Prepare me for the event "${event}".

1. Find it with search_entities (kind "events"; ask for the next edition), and read it with get_entity: dates, place, topics.
2. Find the people involved: search_entities with kind "people" and the event's name, then get_entity for the most useful.
3. Look up their companies with lookup_entities.
4. Find events like it with find_similar, in case it is over or far away.

${goal === '' ? '' : `My goal: ${goal}\n\n`}Answer with the facts of the event, ten people in the order in which I should meet them, why each, and an opening question for each. ${sourced}`,
  },
];

/** Returns a prompt with its arguments filled in. Throws `ProtocolError` for an unknown name or a missing argument. */
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
