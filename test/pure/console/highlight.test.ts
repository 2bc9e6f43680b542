import { parseHighlight, plainText } from '../../../console/shared/search/highlight.ts';

test.each([
  ['no marks', 'Plover Spire', [['Plover Spire', false]]],
  [
    'a mark',
    '<em>Plover</em> Spire',
    [
      ['Plover', true],
      [' Spire', false],
    ],
  ],
  [
    'escaped characters',
    'A &amp; <em>B &lt;b&gt;</em> &quot;C&quot; &#x27;D&#x27; &#x2F;',
    [
      ['A & ', false],
      ['B <b>', true],
      [` "C" 'D' /`, false],
    ],
  ],
  ['escaped marks, which are text', '&lt;em&gt;x&lt;&#x2F;em&gt;', [['<em>x</em>', false]]],
  ['characters that were escaped twice', '&amp;lt;script&amp;gt;', [['&lt;script&gt;', false]]],
  ['other tags, which are text', '<img src=x onerror=alert(1)>', [['<img src=x onerror=alert(1)>', false]]],
  [
    'an unclosed mark',
    'a <em>b',
    [
      ['a ', false],
      ['b', true],
    ],
  ],
  ['numbers beyond Unicode', '&#x110000; &#0;', [['&#x110000; &#0;', false]]],
  ['nothing', '', []],
])('a fragment with %s is parsed', (_title, fragment, pieces) => {
  expect(parseHighlight(fragment).map(({ text, marked }) => [text, marked])).toEqual(pieces);
});

test('without its marks, a fragment is the original text', () => {
  expect(plainText('<em>Plover</em> &amp; Spire')).toBe('Plover & Spire');
});
