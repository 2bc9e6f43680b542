import type { DeadLetter, Generation, IndexState } from '../../../../src/account/answers.ts';
import { Badge } from '../../../shared/ui/badge.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { getIndexState } from '../../api.ts';
import { counted, formatNumber } from '../format.ts';
import { LoadedPart, Section, Time } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { readable } from '../words.ts';
import { CommandLine } from './command-line.tsx';
import { Verifications } from './verifications.tsx';

/** What is searched, how far it is behind the tables, and what could not be indexed. */
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
            {data.generations.length === 0 ? (
              <p class="muted">None: searches find nothing until the first reindex.</p>
            ) : (
              <Generations rows={data.generations} />
            )}
            <CommandLine>entity-search status</CommandLine>
          </Section>
          <DeadLetters state={data} />
          <Section title="Last verification">
            {data.verify === null ? <p class="muted">None has run yet.</p> : <Verifications of={data.verify} />}
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
      columns={[
        {
          head: 'Index',
          names: true,
          cell: ({ kind, index }) => (
            <>
              {readable(kind)}
              <code class="code-below">{index}</code>
            </>
          ),
        },
        {
          head: 'State',
          cell: ({ state, searched, halted }) => (
            <>
              {readable(state)} {searched && <Badge tone="good">Searched</Badge>}
              {halted !== null && <span class="below">Not followed: {halted}</span>}
            </>
          ),
        },
        { head: 'Documents', numeric: true, cell: ({ documents }) => known(documents) },
        { head: 'Changes waiting', numeric: true, cell: ({ pending }) => known(pending) },
        {
          head: 'Behind',
          numeric: true,
          cell: ({ lag_seconds }) => (lag_seconds === null ? known(null) : `${formatNumber(lag_seconds)} s`),
        },
        { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

function known(value: number | null) {
  return value === null ? <span class="muted">Not known</span> : formatNumber(value);
}

function DeadLetters({ state }: { readonly state: IndexState }) {
  const { dead_letters: rows, dead_letters_total: total } = state;
  return (
    <Section title="Dead letters">
      {total === 0 ? (
        <p class="muted">None: every document could be indexed.</p>
      ) : (
        <>
          {total > rows.length && (
            <p>
              The latest {formatNumber(rows.length)} of {counted(total, 'dead letter')}:
            </p>
          )}
          <DeadLetterTable rows={rows} />
        </>
      )}
      <CommandLine>entity-search dead-letters list</CommandLine>
    </Section>
  );
}

function DeadLetterTable({ rows }: { readonly rows: readonly DeadLetter[] }) {
  return (
    <Table
      stacks
      caption="Dead letters"
      rows={rows}
      rowKey={({ generation, entity_id }) => `${generation} ${entity_id}`}
      columns={[
        {
          head: 'Document',
          names: true,
          cell: ({ kind, entity_id, generation }) => (
            <>
              {readable(kind)} {entity_id}
              <code class="code-below">{generation}</code>
            </>
          ),
        },
        { head: 'Reason', cell: ({ reason }) => <span class="reason">{reason}</span> },
        { head: 'Attempts', numeric: true, cell: ({ attempts }) => formatNumber(attempts) },
        { head: 'Since', cell: ({ at }) => <Time at={at} exact /> },
      ]}
    />
  );
}
