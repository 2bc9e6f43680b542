import type { KindName } from '../../src/kinds/kind.ts';

interface Node {
  readonly kind: KindName;
  readonly x: number;
  readonly y: number;
  /** Half the width of the node. */
  readonly size: number;
  readonly label?: string;
}

const nodes: readonly Node[] = [
  { kind: 'companies', x: 190, y: 150, size: 40, label: 'Company' },
  { kind: 'people', x: 72, y: 72, size: 30, label: 'Person' },
  { kind: 'investors', x: 318, y: 76, size: 32, label: 'Investor' },
  { kind: 'events', x: 92, y: 244, size: 30, label: 'Event' },
  { kind: 'companies', x: 316, y: 226, size: 20 },
  { kind: 'people', x: 188, y: 288, size: 14 },
  { kind: 'people', x: 186, y: 34, size: 14 },
  { kind: 'companies', x: 368, y: 150, size: 12 },
  { kind: 'events', x: 26, y: 160, size: 12 },
  { kind: 'investors', x: 260, y: 288, size: 12 },
];

/** The edges between nodes, by their indices above. */
const edges: readonly (readonly [from: number, to: number])[] = [
  [0, 1],
  [0, 2],
  [0, 5],
  [0, 6],
  [2, 4],
  [1, 3],
  [3, 5],
  [2, 7],
  [1, 8],
  [4, 9],
  [0, 3],
  [4, 0],
];

/** A decorative graph of entities of the four kinds. */
export function Constellation() {
  return (
    <svg class="constellation" viewBox="0 0 390 320" aria-hidden="true">
      {edges.map(([from, to]) => {
        const [one, other] = [nodes[from], nodes[to]];
        return one && other && <path key={`${from} ${to}`} d={`M${one.x} ${one.y}L${other.x} ${other.y}`} />;
      })}
      {nodes.map(({ kind, x, y, size, label }) => (
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
          {label !== undefined && (
            <text x={x} y={y + 3.5}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
