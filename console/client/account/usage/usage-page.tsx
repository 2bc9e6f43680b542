import { useMemo } from 'preact/hooks';
import type { Usage } from '../../../../src/account/answers.ts';
import { errorCodes } from '../../../../src/http/errors/codes.ts';
import { get } from '../../../shared/account-api.ts';
import { counted, formatDay, formatNumber, formatRelative } from '../../../shared/format.ts';
import { labelOf } from '../../../shared/record.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { EmptyState } from '../../../shared/ui/notes.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import type { AccountPageProps } from '../../lib/page-props.ts';
import { LoadedPart, PageHeading, Section } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { endpointWord } from '../words.ts';
import { type CallsByDay, callsByDay, refusals } from './calls-by-day.ts';
import { UsageChart } from './usage-chart.tsx';

const periods = [7, 30, 90] as const;

export function UsagePage({ search }: AccountPageProps) {
  const usage = useLoaded(() => get<Usage>('usage'));
  const asked = Number(new URLSearchParams(search).get('days'));
  const days = periods.find((period) => period === asked) ?? 30;
  return (
    <>
      <PageHeading
        title="Usage"
        action={
          <Button busy={usage.loading && usage.data !== null} onClick={usage.reload}>
            Refresh
          </Button>
        }
      >
        API calls with your keys, and your searches on this website.
      </PageHeading>
      <LoadedPart loaded={usage} lines={8}>
        {(data) => (
          <>
            <Allowances usage={data} />
            <Calls usage={data} days={days} />
            <Refused usage={data} days={days} />
          </>
        )}
      </LoadedPart>
    </>
  );
}

function Allowances({ usage }: { readonly usage: Usage }) {
  const { limits, used, resets_in_seconds: resets } = usage;
  return (
    <div class="allowances">
      <Allowance title="This minute" used={used.this_minute} limit={limits.calls_per_minute} resets={resets.minute} />
      <Allowance title="This month" used={used.this_month} limit={limits.calls_per_month} resets={resets.month} />
      <div class="allowance">
        <h2>Today</h2>
        <p class="allowance-figure">{formatNumber(used.today)}</p>
        <p class="muted">{used.today === 1 ? 'call' : 'calls'} since midnight UTC</p>
      </div>
    </div>
  );
}

interface AllowanceProps {
  readonly title: string;
  readonly used: number;
  readonly limit: number | null;
  readonly resets: number;
}

/** The meter warns above this share of a limit. */
const high = 0.9;

function Allowance({ title, used, limit, resets }: AllowanceProps) {
  return (
    <div class="allowance">
      <h2>{title}</h2>
      {limit === null ? (
        <p class="allowance-figure">{formatNumber(used)}</p>
      ) : (
        <>
          <p class="allowance-figure">
            {formatNumber(Math.max(0, limit - used))} <span>of {formatNumber(limit)} left</span>
          </p>
          <meter aria-label={`${title}: calls used`} min={0} max={limit} high={limit * high} value={used}>
            {formatNumber(used)} of {formatNumber(limit)}
          </meter>
        </>
      )}
      <p class="muted">{limit === null ? 'No limit' : `Resets ${formatRelative(resets)}`}</p>
    </div>
  );
}

function Calls({ usage, days }: { readonly usage: Usage; readonly days: number }) {
  const calls = useMemo(() => callsByDay(usage.calls, days, Date.now()), [usage, days]);
  return (
    <Section
      title="Calls per day"
      action={
        <nav class="period-choices" aria-label="Period">
          {periods.map((period) => (
            <a key={period} href={`/account/usage?days=${period}`} aria-current={period === days ? 'true' : undefined}>
              {period} days
            </a>
          ))}
        </nav>
      }
    >
      {calls.total === 0 ? (
        <EmptyState title={`No calls in the last ${days} days`} action={<a href="/account/keys">Go to your keys</a>}>
          New calls appear here within seconds.
        </EmptyState>
      ) : (
        <>
          <UsageChart calls={calls} />
          <CallTables calls={calls} />
        </>
      )}
    </Section>
  );
}

function CallTables({ calls }: { readonly calls: CallsByDay }) {
  return (
    <>
      <Table
        caption="Calls by endpoint"
        rows={calls.endpoints}
        rowKey={({ name }) => name}
        columns={[
          { head: 'Endpoint', names: true, cell: ({ name }) => endpointWord(name) },
          { head: 'Calls', numeric: true, cell: ({ calls: count }) => formatNumber(count) },
          { head: 'Share', numeric: true, cell: ({ calls: count }) => `${Math.round((count / calls.total) * 100)}%` },
        ]}
      />
      <details class="more">
        <summary>Show daily calls</summary>
        <Table
          caption="Calls by day and endpoint"
          rows={calls.days.filter(({ total }) => total > 0).toReversed()}
          rowKey={({ day }) => day}
          columns={[
            { head: 'Day (UTC)', names: true, cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
            ...calls.endpoints.map(({ name }, i) => ({
              head: endpointWord(name),
              numeric: true,
              cell: (row: CallsByDay['days'][number]) => formatNumber(row.byEndpoint[i] ?? 0),
            })),
            { head: 'All', numeric: true, cell: ({ total }) => formatNumber(total) },
          ]}
        />
      </details>
    </>
  );
}

const errorTexts: Readonly<Record<string, { readonly when: string }>> = errorCodes;

function Refused({ usage, days }: { readonly usage: Usage; readonly days: number }) {
  const since = callsByDay([], days, Date.now()).days[0]?.day ?? '';
  const rows = refusals(usage.calls.filter(({ day }) => day >= since));
  return (
    <Section title="Rejected calls">
      <Table
        caption="Rejected calls by reason"
        rows={rows}
        rowKey={([code]) => code}
        empty={`No rejected calls in the last ${counted(days, 'day')}`}
        columns={[
          {
            head: 'Reason',
            names: true,
            cell: ([code]) => (
              <>
                {labelOf(code)}
                <span class="below">{errorTexts[code]?.when}</span>
              </>
            ),
          },
          { head: 'Calls', numeric: true, cell: ([, count]) => formatNumber(count) },
        ]}
      />
    </Section>
  );
}
