/** The names in a PromQL expression. */
export interface Spoken {
  /** Names of series. */
  readonly metrics: readonly string[];
  readonly matchers: readonly { readonly metric: string; readonly label: string }[];
  /** Labels by which results are grouped. */
  readonly grouped: readonly string[];
}

const keywords = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'offset',
  'and',
  'or',
  'unless',
  'bool',
]);

/** Reads the names in an expression of the dashboards and rules in this project. */
export function readPromql(expression: string): Spoken {
  const grouped: string[] = [];
  const matchers: { metric: string; label: string }[] = [];
  // Text in quotes may contain anything.
  const unquoted = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const withoutGroups = unquoted.replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
    grouped.push(
      ...list
        .split(',')
        .map((label) => label.trim())
        .filter(Boolean),
    );
    return ' ';
  });
  const withoutSelectors = withoutGroups.replace(
    /([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g,
    (_, metric: string, inner: string) => {
      for (const [, label = ''] of inner.matchAll(/([a-zA-Z_]\w*)\s*[=!]/g)) {
        matchers.push({ metric, label });
      }
      return ` ${metric} `;
    },
  );
  const plain = withoutSelectors.replace(/\[[^\]]*\]/g, ' ');
  const metrics = [...plain.matchAll(/(?<![\w$.])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])/g)]
    .map(([, name = '']) => name)
    .filter((name) => !keywords.has(name));
  return { metrics: [...new Set(metrics)], matchers, grouped };
}
