import type { Generation, IndexState } from '../../../../src/account/answers.ts';
import { get } from '../../../shared/account-api.ts';
import { counted, formatNumber } from '../../../shared/format.ts';
import { labelOf } from '../../../shared/record.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge, type BadgeTone } from '../../../shared/ui/chip.tsx';
import { Table, WithCode } from '../../../shared/ui/table.tsx';
import { LoadedPart, Section, Time } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { Commands } from './parts.tsx';

/** The state of the indices: their documents, their lag behind the tables, and their last verification. */
export function IndexView() {
  const state = useLoaded(() => get<IndexState>('operator/index'));
  const refresh = (
    <Button small busy={state.loading} onClick={state.reload}>
      Refresh
    </Button>
  );
  return (
    <LoadedPart loaded={state} lines={8}>
      {({ generations }) => (
        <Section title="Indices" action={refresh}>
          <Table
            caption="Indices"
            rows={generations}
            rowKey={({ index }) => index}
            empty="No index yet. Run a reindex before searching."
            columns={[
              {
                head: 'Index',
                names: true,
                cell: ({ kind, index }) => <WithCode code={index}>{labelOf(kind)}</WithCode>,
              },
              {
                head: 'Status',
                cell: ({ state: word, searched, halted }) => (
                  <>
                    {searched ? <Badge tone="good">Live</Badge> : <Badge>{labelOf(word)}</Badge>}
                    {halted !== null && <span class="below">Sync stopped: {halted}</span>}
                  </>
                ),
              },
              { head: 'Documents', numeric: true, cell: ({ documents }) => known(documents) },
              {
                head: 'Pending changes',
                numeric: true,
                cell: ({ pending, lag_seconds: lag }) => (
                  <>
                    {known(pending)}
                    {lag !== null && lag > 0 && <span class="below">{formatNumber(lag)} s behind</span>}
                  </>
                ),
              },
              { head: 'Dead letters', numeric: true, cell: (row) => formatNumber(row.dead_letters) },
              { head: 'Last verification', cell: ({ verification }) => <Verification of={verification} /> },
            ]}
          />
          <Commands lines={['status', 'verify', 'dead-letters list']} />
        </Section>
      )}
    </LoadedPart>
  );
}

function known(value: number | null) {
  return value === null ? <span class="muted">Unknown</span> : formatNumber(value);
}

const outcomes: Readonly<Record<string, readonly [word: string, tone: BadgeTone]>> = {
  equal: ['Equal', 'good'],
  different: ['Different', 'bad'],
  unjudged: ['Changes pending', 'warning'],
  incomplete: ['Stopped', 'bad'],
};

function Verification({ of }: { readonly of: Generation['verification'] }) {
  if (of === null) return <span class="muted">Never</span>;
  const [word, tone] = outcomes[of.outcome] ?? [labelOf(of.outcome), 'neutral'];
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      <span class="below">
        {of.differences > 0 && `${counted(of.differences, 'difference')}, `}
        <Time at={of.at} />
      </span>
    </>
  );
}
