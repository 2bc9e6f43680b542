import type { IndexState, Verification } from '../../../../src/account/answers.ts';
import { Table } from '../../../shared/ui/table.tsx';
import { formatNumber } from '../format.ts';
import { StateBadge, Time } from '../parts.tsx';
import { readable, type Tone } from '../words.ts';

const outcomes: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  equal: ['Equal', 'good'],
  different: ['Different', 'bad'],
  unjudged: ['Changes wait', 'busy'],
  incomplete: ['Stopped', 'bad'],
};

/** The last comparison of each kind's index with its table. */
export function Verifications({ of }: { readonly of: NonNullable<IndexState['verify']> }) {
  return (
    <Table
      stacks
      caption="Last verification"
      rows={Object.entries(of).flatMap(([kind, found]) => (found === undefined ? [] : [[kind, found] as const]))}
      rowKey={([kind]) => kind}
      columns={[
        {
          head: 'Index',
          names: true,
          cell: ([kind, { generation }]) => (
            <>
              {readable(kind)}
              <code class="code-below">{generation}</code>
            </>
          ),
        },
        { head: 'Outcome', cell: ([, { outcome }]) => <Outcome outcome={outcome} /> },
        { head: 'Rows', numeric: true, cell: ([, { rows }]) => formatNumber(rows) },
        { head: 'Differences', numeric: true, cell: ([, { differences }]) => formatNumber(differences) },
        { head: 'Compared', cell: ([, { deep }]) => (deep ? 'Whole documents' : 'Hashes') },
        { head: 'When', cell: ([, { at }]) => <Time at={at} exact /> },
      ]}
    />
  );
}

function Outcome({ outcome }: Pick<Verification, 'outcome'>) {
  const [word, tone] = outcomes[outcome] ?? [readable(outcome), 'plain'];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
