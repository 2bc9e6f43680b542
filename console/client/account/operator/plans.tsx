import { Table } from '../../../shared/ui/table.tsx';
import { getPlans } from '../../api.ts';
import { formatNumber } from '../format.ts';
import { LoadedPart, StateBadge } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { CommandLine } from './parts.tsx';

export function Plans() {
  const plans = useLoaded(getPlans);
  return (
    <>
      <LoadedPart loaded={plans}>
        {(data) => (
          <Table
            caption="Plans"
            rows={data.plans}
            rowKey={({ name }) => name}
            columns={[
              { head: 'Name', names: true, cell: ({ name }) => name },
              { head: 'Calls a minute', numeric: true, cell: ({ calls_per_minute }) => limitText(calls_per_minute) },
              { head: 'Calls a month', numeric: true, cell: ({ calls_per_month }) => limitText(calls_per_month) },
              {
                head: 'State',
                cell: ({ active }) => (
                  <StateBadge tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Not active'}</StateBadge>
                ),
              },
            ]}
          />
        )}
      </LoadedPart>
      <CommandLine>entity-search plans list</CommandLine>
    </>
  );
}

function limitText(limit: number | null): string {
  return limit === null ? 'No limit' : formatNumber(limit);
}
