import type { ComponentChildren } from 'preact';

interface Column<Row> {
  readonly head: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand under each other at the right. */
  readonly numeric?: boolean;
  /** The column that names the row. */
  readonly names?: boolean;
}

interface TableProps<Row> {
  /** For those who can't see the heading above. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** On narrow screens each row becomes a block of its own, each cell under the head of its column. */
  readonly stacks?: boolean;
}

/** A table that can be scrolled sideways, also by keyboard, where it is wider than the screen. */
export function Table<Row>({ caption, columns, rows, rowKey, stacks = false }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
    <section class={stacks ? 'table-frame table-stacks' : 'table-frame'} aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, numeric }, at) => (
              <th key={at} scope="col" class={numeric ? 'numeric' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ head, cell, numeric, names }, at) => {
                const Cell = names ? 'th' : 'td';
                return (
                  <Cell
                    key={at}
                    class={numeric ? 'numeric' : undefined}
                    data-head={stacks && !names && typeof head === 'string' ? head : undefined}
                    {...(names ? { scope: 'row' as const } : {})}
                  >
                    {cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
