import type { KindName } from '../../src/kinds/kind.ts';

/** The size is half the width of the node. */
const nodes: readonly (readonly [kind: KindName, x: number, y: number, size: number, label: string])[] = [
  ['companies', 190, 150, 40, 'Company'],
  ['people', 72, 72, 30, 'Person'],
  ['investors', 318, 76, 32, 'Investor'],
  ['events', 92, 244, 30, 'Event'],
  ['companies', 316, 226, 20, ''],
  ['people', 188, 288, 14, ''],
  ['people', 186, 34, 14, ''],
  ['companies', 368, 150, 12, ''],
  ['events', 26, 160, 12, ''],
  ['investors', 260, 288, 12, ''],
];

/** Lines between the centres of nodes. */
const edges =
  'M190 150L72 72M190 150L318 76M190 150L188 288M190 150L186 34M318 76L316 226M72 72L92 244M92 244L188 288' +
  'M318 76L368 150M72 72L26 160M316 226L260 288M190 150L92 244M316 226L190 150';

/** A decorative graph of entities of the four kinds. */
export function Constellation() {
  return (
    <svg class="constellation" viewBox="0 0 390 320" aria-hidden="true">
      <path d={edges} />
      {nodes.map(([kind, x, y, size, label]) => (
        <g key={`${x} ${y}`} class={`kind-${kind}`}>
          {/* People are round, as their initials are elsewhere. */}
          <rect
            class="node"
            x={x - size}
            y={y - size}
            width={2 * size}
            height={2 * size}
            rx={kind === 'people' ? size : size / 4}
          />
          <text x={x} y={y + 3.5}>
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}
