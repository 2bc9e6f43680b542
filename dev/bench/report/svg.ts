// Two plain charts. Text and lines take the reader's colours, so that they fit a light and a dark page.

const width = 760;
const lineColours = ['#2563eb', '#d97706'] as const;
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2937 }
.axis { stroke: #9ca3af }
.better { fill: #2563eb } .worse { fill: #d97706 }
@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .background { fill: #111827 } }
</style>`;

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly note: string;
}

/** Horizontal bars with a line at 1, which bars must reach. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const [left, right, top, step] = [150, 130, 50, 26];
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const across = (value: number): number => round(left + (value / highest) * (width - left - right));
  const height = top + bars.length * step + 20;
  const rows = bars.map(({ label, value, note }, at) => {
    const y = top + at * step;
    return [
      text(left - 10, y + 13, label, 'end'),
      `<rect class="${value >= 1 ? 'better' : 'worse'}" x="${left}" y="${y}" width="${across(value) - left}" height="18"/>`,
      text(across(value) + 6, y + 13, note),
    ].join('\n');
  });
  const goal = `<line class="axis" stroke-dasharray="4 3" x1="${across(1)}" y1="${top - 8}" x2="${across(1)}" y2="${height - 12}"/>`;
  return svg(title, height, [...rows, goal]);
}

export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Curves over a logarithmic scale of counts. */
export function lineChart(title: string, yName: string, curves: readonly Curve[]): string {
  const [left, right, top, bottom, height] = [70, 30, 70, 50, 380];
  const points = curves.flatMap((curve) => curve.points);
  const xs = [...new Set(points.map(([x]) => x))].sort((one, other) => one - other);
  const [first = 1, last = 10] = [xs[0], xs.at(-1)];
  const highest = niceAbove(Math.max(...points.map(([, y]) => y)));
  const across = (x: number): number =>
    round(left + ((Math.log(x) - Math.log(first)) / (Math.log(last) - Math.log(first) || 1)) * (width - left - right));
  const up = (y: number): number => round(height - bottom - (y / highest) * (height - top - bottom));
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = up(highest * share);
    return [
      `<line class="axis" stroke-opacity="0.4" x1="${left}" y1="${y}" x2="${width - right}" y2="${y}"/>`,
      text(left - 8, y + 4, shown(highest * share), 'end'),
    ];
  });
  const drawn = curves.flatMap(({ name, points: of }, at) => {
    const colour = lineColours[at % lineColours.length];
    const path = of.map(([x, y]) => `${across(x)},${up(y)}`).join(' ');
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...of.map(([x, y]) => `<circle cx="${across(x)}" cy="${up(y)}" r="3.5" fill="${colour}"/>`),
      `<rect x="${left + at * 230}" y="38" width="14" height="4" fill="${colour}"/>`,
      text(left + 20 + at * 230, 45, name),
    ];
  });
  const labels = xs.map((x) => text(across(x), height - bottom + 20, shown(x), 'middle'));
  return svg(title, height, [...grid, ...labels, text(left, height - 10, `companies; ${yName}`), ...drawn]);
}

/** The smallest of 1, 2, 4 and 10 times a power of ten that is not below the value. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 10].find((times) => times * power >= value) ?? 10) * power;
}

function svg(title: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    style,
    `<rect class="background" width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${width / 2}" y="24" text-anchor="middle" font-weight="600">${escaped(title)}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, words: string, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
