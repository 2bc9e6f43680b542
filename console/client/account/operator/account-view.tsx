import { useEffect, useRef, useState } from 'preact/hooks';
import type { AccountKey, OperatorAccount, OperatorAccountDetail, Plan } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/field.tsx';
import { changePlan, getOperatorAccount, getPlans, revokeKeyOfAccount } from '../../api.ts';
import { formatNumber } from '../format.ts';
import { KeyTable } from '../keys/key-table.tsx';
import { announce, ConfirmDialog, Fact, LoadedPart, Section, Time } from '../parts.tsx';
import { callsByDay } from '../usage/calls-by-day.ts';
import { UsageChart } from '../usage/usage-chart.tsx';
import { useLoaded } from '../use-request.ts';
import { ActiveBadge, CommandLine, SuspensionDialog } from './parts.tsx';

type Open =
  | { readonly dialog: 'suspension' }
  | { readonly dialog: 'plan' }
  | { readonly dialog: 'revoke'; readonly apiKey: AccountKey }
  | null;

interface AccountViewProps {
  readonly id: number;
  readonly isOwn: boolean;
  readonly onBack: () => void;
}

export function AccountView({ id, isOwn, onBack }: AccountViewProps) {
  const detail = useLoaded(() => getOperatorAccount(id), id);
  const [open, setOpen] = useState<Open>(null);
  const heading = useRef<HTMLButtonElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <p>
        <button type="button" class="link-button" ref={heading} onClick={onBack}>
          ← All accounts
        </button>
      </p>
      <LoadedPart loaded={detail} lines={8}>
        {(data) => (
          <>
            <Facts account={data.account} isOwn={isOwn} onOpen={setOpen} />
            <Section title="Keys">
              <KeyTable keys={data.keys} onRevoke={(apiKey) => setOpen({ dialog: 'revoke', apiKey })} />
              <CommandLine>entity-search keys revoke ID</CommandLine>
            </Section>
            <Calls detail={data} />
            <OpenDialog open={open} account={data.account} onClose={() => setOpen(null)} onChanged={detail.reload} />
          </>
        )}
      </LoadedPart>
    </>
  );
}

interface FactsProps {
  readonly account: OperatorAccount;
  readonly isOwn: boolean;
  readonly onOpen: (open: Open) => void;
}

function Facts({ account, isOwn, onOpen }: FactsProps) {
  const { name, active, plan, role, live_keys, used_this_month, created_at } = account;
  return (
    <Section
      title={name}
      action={
        <div class="row-actions">
          <Button onClick={() => onOpen({ dialog: 'plan' })}>Change plan</Button>
          {!isOwn && (
            <Button tone={active ? 'danger' : 'secondary'} onClick={() => onOpen({ dialog: 'suspension' })}>
              {active ? 'Suspend' : 'Resume'}
            </Button>
          )}
        </div>
      }
    >
      <dl class="fact-grid">
        <Fact term="State">
          <ActiveBadge active={active} />
        </Fact>
        <Fact term="Plan">{plan}</Fact>
        <Fact term="Role">{role}</Fact>
        <Fact term="Live keys">{formatNumber(live_keys)}</Fact>
        <Fact term="Calls this month">{formatNumber(used_this_month)}</Fact>
        <Fact term="Created">
          <Time at={created_at} />
        </Fact>
      </dl>
      <CommandLine>
        entity-search accounts change "{name}" {active ? '--inactive' : '--active'}
      </CommandLine>
    </Section>
  );
}

const chartDays = 30;

function Calls({ detail }: { readonly detail: OperatorAccountDetail }) {
  const counts = detail.calls_by_day.map(({ day, calls }) => ({ day, calls, endpoint: 'all', outcome: 'answered' }));
  const calls = callsByDay(counts, chartDays, Date.now());
  return (
    <Section title={`Calls in the last ${chartDays} days`}>
      {calls.total === 0 ? <p class="muted">No calls</p> : <UsageChart calls={calls} />}
    </Section>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  readonly account: OperatorAccount;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function OpenDialog({ open, account, onClose, onChanged }: OpenDialogProps) {
  switch (open?.dialog) {
    case undefined:
      return null;
    case 'suspension':
      return <SuspensionDialog account={account} onClose={onClose} onChanged={onChanged} />;
    case 'plan':
      return <PlanDialog account={account} onClose={onClose} onChanged={onChanged} />;
    case 'revoke':
      return (
        <ConfirmDialog
          title={`Revoke ${open.apiKey.name}?`}
          label="Revoke"
          onClose={onClose}
          onConfirm={async () => {
            await revokeKeyOfAccount(open.apiKey.id);
            announce(`The key ${open.apiKey.name} was revoked.`);
            onChanged();
          }}
        >
          <p>
            Programs of {account.name} that use <code>{open.apiKey.prefix}…</code> are refused within 5 seconds. This
            cannot be undone.
          </p>
        </ConfirmDialog>
      );
    default:
      return open satisfies never;
  }
}

function PlanDialog({ account, onClose, onChanged }: Omit<OpenDialogProps, 'open'>) {
  const plans = useLoaded(getPlans);
  const [plan, setPlan] = useState(account.plan);
  return (
    <ConfirmDialog
      title={`Change the plan of ${account.name}`}
      label="Change plan"
      tone="primary"
      onClose={onClose}
      onConfirm={async () => {
        await changePlan(account.id, plan);
        announce(`${account.name} is on the plan ${plan} now.`);
        onChanged();
      }}
    >
      <LoadedPart loaded={plans} lines={1}>
        {(data) => (
          <SelectField
            label="Plan"
            hint="Its limits apply at once. Calls already made this month still count."
            value={plan}
            choices={data.plans
              .filter(({ active, name }) => active || name === account.plan)
              .map((choice) => [choice.name, planText(choice)])}
            onValue={setPlan}
          />
        )}
      </LoadedPart>
    </ConfirmDialog>
  );
}

function planText({ name, calls_per_minute, calls_per_month }: Plan): string {
  const limits = [
    [calls_per_minute, 'a minute'],
    [calls_per_month, 'a month'],
  ] as const;
  const words = limits.map(([limit, per]) => `${limit === null ? 'any number' : formatNumber(limit)} ${per}`);
  return `${name}: ${words.join(', ')}`;
}
