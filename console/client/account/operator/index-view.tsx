import type { Generation, IndexState, Verification } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Table, WithCode } from '../../../shared/ui/table.tsx';
import { getIndexState } from '../../api.ts';
import { counted, formatNumber } from '../format.ts';
import { createdColumn, LoadedPart, Section, StateBadge, Time } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { readable, type Tone } from '../words.ts';
import { CommandLine } from './parts.tsx';

/** The state of the index: its documents, its lag behind the tables, and entities that could not be indexed. */
export function IndexView() {
  const state = useLoaded(getIndexState);
  return (
    <LoadedPart loaded={state} lines={8}>
      {(data) => (
        <>
          <Section
            title="Generations"
            action={
              <Button small busy={state.loading} onClick={state.reload}>
                Refresh
              </Button>
            }
          >
            <Generations rows={data.generations} />
            <CommandLine>entity-search status</CommandLine>
          </Section>
          <DeadLetters state={data} />
          <Section title="Last verification">
            {data.verify === null ? <p class="muted">No verification yet</p> : <Verifications of={data.verify} />}
            <CommandLine>entity-search verify</CommandLine>
          </Section>
        </>
      )}
    </LoadedPart>
  );
}

function Generations({ rows }: { readonly rows: readonly Generation[] }) {
  return (
    <Table
      stacks
      caption="Generations"
      rows={rows}
      rowKey={({ index }) => index}
      empty="No index yet. Run a reindex before searching."
      columns={[
        {
          head: 'Index',
          names: true,
          cell: ({ kind, index }) => <WithCode code={index}>{readable(kind)}</WithCode>,
        },
        {
          head: 'State',
          cell: ({ state, searched, halted }) => (
            <>
              {readable(state)} {searched && <Badge tone="good">In use</Badge>}
              {halted !== null && <span class="below">Sync stopped: {halted}</span>}
            </>
          ),
        },
        { head: 'Documents', numeric: true, cell: ({ documents }) => known(documents) },
        { head: 'Pending changes', numeric: true, cell: ({ pending }) => known(pending) },
        {
          head: 'Behind',
          numeric: true,
          cell: ({ lag_seconds }) => (lag_seconds === null ? known(null) : `${formatNumber(lag_seconds)} s`),
        },
        createdColumn('Created'),
      ]}
    />
  );
}

function known(value: number | null) {
  return value === null ? <span class="muted">Unknown</span> : formatNumber(value);
}

function DeadLetters({ state }: { readonly state: IndexState }) {
  const { dead_letters: rows, dead_letters_total: total } = state;
  return (
    <Section title="Dead letters">
      {total > rows.length && (
        <p>
          The latest {formatNumber(rows.length)} of {counted(total, 'dead letter')}:
        </p>
      )}
      <Table
        stacks
        caption="Dead letters"
        rows={rows}
        rowKey={({ generation, entity_id }) => `${generation} ${entity_id}`}
        empty="No dead letters"
        columns={[
          {
            head: 'Document',
            names: true,
            cell: ({ kind, entity_id, generation }) => (
              <WithCode code={generation}>
                {readable(kind)} {entity_id}
              </WithCode>
            ),
          },
          { head: 'Reason', cell: ({ reason }) => <span class="reason">{reason}</span> },
          { head: 'Attempts', numeric: true, cell: ({ attempts }) => formatNumber(attempts) },
          { head: 'Since', cell: ({ at }) => <Time at={at} exact /> },
        ]}
      />
      <CommandLine>entity-search dead-letters list</CommandLine>
    </Section>
  );
}

const outcomes: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  equal: ['Equal', 'good'],
  different: ['Different', 'bad'],
  unjudged: ['Changes pending', 'busy'],
  incomplete: ['Stopped', 'bad'],
};

function Verifications({ of }: { readonly of: NonNullable<IndexState['verify']> }) {
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
          cell: ([kind, { generation }]) => <WithCode code={generation}>{readable(kind)}</WithCode>,
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
