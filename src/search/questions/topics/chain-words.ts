import { kindWordAt } from '../kind-words.ts';
import { isOnlyChain } from '../knowledge.ts';
import type { Sentence } from '../sentence.ts';
import { chainNoun, linkWords } from '../words.ts';

const linking =
  /^(that|which|who|you|we|i|they|can|could|be|been|have|has|is|are|a|on|with|for|in|to|under|of|the|both)$/;
const inUse =
  /^(use|used|usable|exist(s|ing)?|operat(es?|ing)|support(s|ing)?|runs?|running|works?|working|built|building|lives?|available|deployed|launched|listed|active|native|compatible|part)$/;

/** Takes words next to chains out: "wallets that support bitcoin", "on both base and celo", "oracles, base chain". */
export function dropWordsOfChains(sentence: Sentence): void {
  const isChain = (at: number) => isOnlyChain(sentence, sentence.key(at));
  for (const at of sentence.words.keys()) {
    const isNoun = sentence.is(at, /^(chain|network|mainnet|support)$/) && isChain(at - 1);
    const isBoth = sentence.is(at, /^both$/) && (isChain(at + 1) || isChain(at - 1));
    if (isNoun || isBoth) sentence.take(at, at + 1, 'filler');
  }
  for (const at of sentence.words.keys()) dropChainVerb(sentence, at, isChain);
}

function dropChainVerb(sentence: Sentence, at: number, isChain: (at: number) => boolean): void {
  const { isPluralTopic, key, is } = sentence;
  let end = at;
  while (is(end, linking) || is(end, inUse)) end += 1;
  const isVerb = sentence.words.slice(at, end).some((word) => inUse.test(word.key));
  // "That support solana developers".
  const behind = sentence.isFree(end + 1) && !is(end + 1, chainNoun) ? end + 1 : end + 2;
  if (!isVerb || !isChain(end) || (sentence.isFree(behind) && !linkWords.has(key(behind)))) return;
  if (isPluralTopic(key(at - 1), key(at - 2))) sentence.note(isPluralTopic(key(at - 1)) ? at - 1 : at - 2, at, 'kind');
  else if (kindWordAt(sentence, at - 1)?.kind !== 'companies') return;
  sentence.take(at, end, 'filler');
  sentence.take(end + 1, behind, 'filler');
}
