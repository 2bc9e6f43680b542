import { extname } from 'node:path';

export interface Text {
  readonly line: number;
  readonly kind: 'comment' | 'message' | 'title' | 'prose';
  readonly text: string;
}

const hashComments = new Set(['.py', '.sh', '.yml', '.yaml', '.toml', '.example', '']);
const titleBefore = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^'"`]*\))?\(\s*$/;

/** Returns the comments, messages, test titles or paragraphs of a file, in order. */
export function textsOf(file: string, source: string): readonly Text[] {
  const extension = extname(file);
  if (extension === '.md') return paragraphsOf(source);
  if (extension === '.sql')
    return [...commentLines(source, /^\s*--\s?(.*)$/), ...quotedIn(source, /'((?:[^'\n]|'')+)'/g)];
  if (!hashComments.has(extension)) return textsOfScript(source, extension === '.tsx' ? tokensOfPage : tokensOfScript);
  const docstrings = extension === '.py' ? quotedIn(source, /"""([\s\S]*?)"""/g) : [];
  return [...commentLines(source, /^\s*#(?!!)\s?(.*)$/), ...docstrings, ...quotedIn(source, /"([^"\n]+)"/g)];
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

function quotedIn(source: string, pattern: RegExp): readonly Text[] {
  return [...source.matchAll(pattern)].map((match) => ({
    line: lineAt(source, match.index),
    kind: 'message' as const,
    text: match[1] ?? '',
  }));
}

/** Joins adjacent comment lines, so that a wrapped sentence is read as one. */
function commentLines(source: string, comment: RegExp): readonly Text[] {
  const texts: { line: number; kind: 'comment'; text: string }[] = [];
  let previous = -1;
  for (const [index, line] of source.split('\n').entries()) {
    const [, content] = comment.exec(line) ?? [];
    if (content === undefined) continue;
    const open = texts.at(-1);
    if (open !== undefined && previous === index - 1) open.text += `\n${content}`;
    else texts.push({ line: index + 1, kind: 'comment', text: content });
    previous = index;
  }
  return texts;
}

function paragraphsOf(source: string): readonly Text[] {
  const withoutCode = source.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''));
  const texts: Text[] = [];
  let line = 1;
  for (const paragraph of withoutCode.split(/\n(?=\s*(?:[-*|]|\d+\.|#)\s)|\n\s*\n/)) {
    // A heading may be a reader's question: "How it works".
    if (!/^\s*#/.test(paragraph)) {
      const cells = /^\s*\|/.test(paragraph) ? paragraph.split(/(?<!\\)\|/) : [paragraph];
      for (const text of cells) texts.push({ line, kind: 'prose', text: text.replace(/^\s*(?:[-*]|\d+\.)\s/, '') });
    }
    line = lineAt(withoutCode, withoutCode.indexOf(paragraph) + paragraph.length) + 1;
  }
  return texts;
}

const comments = String.raw`\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/`;
const quoted = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\[\s\S])*\``;
const regex = String.raw`(?<=[(,=:[!&|?{};]\s*)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`;
const markup = '(?<=>)[^<>{}]*[a-z]{2} [a-z][^<>{}]*(?=<)';
const tokensOfScript = new RegExp(`(${comments})|(${quoted})|${regex}`, 'g');
const tokensOfPage = new RegExp(`${tokensOfScript.source}|(${markup})`, 'g');

/** Reads JavaScript, TypeScript, JSX, CSS and Java: enough of their tokens to tell comments and quotes from code. */
function textsOfScript(source: string, tokens: RegExp): readonly Text[] {
  return [...source.matchAll(tokens)].flatMap((match): Text[] => {
    const [, comment, quote, text] = match;
    const line = lineAt(source, match.index);
    if (comment !== undefined) {
      const bare = comment.replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)[ \t]?|\s*\*\/$/gm, '');
      return [{ line, kind: 'comment', text: bare }];
    }
    if (quote !== undefined) {
      const before = source.slice(Math.max(0, match.index - 200), match.index);
      // A list of words is data, not text.
      if (/wordSet\(\s*$/.test(before) || source.startsWith('.split(', match.index + quote.length)) return [];
      return [{ line, kind: titleBefore.test(before) ? 'title' : 'message', text: quote.slice(1, -1) }];
    }
    return text === undefined ? [] : [{ line, kind: 'message', text }];
  });
}
