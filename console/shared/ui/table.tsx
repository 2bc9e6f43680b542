import type { ComponentChildren } from 'preact';

interface Column<Row> {
  readonly head: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligns numbers to the right. */
  readonly numeric?: boolean;
  /** True for the column that names the row. */
  readonly names?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** Shown in place of a table without rows. */
  readonly empty?: string;
  /** Renders the buttons and links of a row in the last column. */
  readonly actions?: (row: Row) => ComponentChildren;
}

/**
 * A table that can be scrolled sideways, also by keyboard. On narrow screens, each row is a block, with the head of the
 * column above each cell.
 */
export function Table<Row>({ caption, columns, rows, rowKey, empty, actions }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <p class="muted">{empty}</p>;
  const all = actions === undefined ? columns : [...columns, actionColumn(actions)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
    <section class="table-frame" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {all.map(({ head, numeric }, at) => (
              <th key={at} scope="col" class={numeric ? 'numeric' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {all.map(({ head, cell, numeric, names }, at) => {
                const Cell = names ? 'th' : 'td';
                return (
                  <Cell
                    key={at}
                    class={numeric ? 'numeric' : undefined}
                    data-head={!names && typeof head === 'string' ? head : undefined}
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

function actionColumn<Row>(actions: (row: Row) => ComponentChildren): Column<Row> {
  return {
    head: <span class="visually-hidden">Actions</span>,
    cell: (row) => {
      const content = actions(row);
      return content && <div class="row-actions">{content}</div>;
    },
  };
}

/** A cell's text with a code below it. */
export function WithCode({ code, children }: { readonly code: string; readonly children: ComponentChildren }) {
  return (
    <>
      {children}
      <code class="code-below">{code}</code>
    </>
  );
}
