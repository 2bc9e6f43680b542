import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AccountKey, OperatorAccount, OperatorAccountDetail, Plan } from '../../../../src/account/answers.ts';
import { get, post } from '../../../shared/account-api.ts';
import { formatNumber } from '../../../shared/format.ts';
import { labelOf } from '../../../shared/record.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { SelectField } from '../../../shared/ui/field.tsx';
import { KeyTable } from '../keys/key-table.tsx';
import { RevokeKeyDialog } from '../keys/keys-page.tsx';
import { announce, ConfirmDialog, Fact, LoadedPart, PageHeading, Section, Time } from '../parts.tsx';
import { callsByDay } from '../usage/calls-by-day.ts';
import { UsageChart } from '../usage/usage-chart.tsx';
import { useLoaded } from '../use-request.ts';
import { ActiveBadge, Commands } from './parts.tsx';

type Open = 'suspension' | 'plan' | AccountKey | null;

interface AccountViewProps {
  readonly id: number;
  /** True for the operator's own account. Operators cannot suspend themselves here, because they could not undo it. */
  readonly isOwn: boolean;
  readonly backHref: string;
}

export function AccountView({ id, isOwn, backHref }: AccountViewProps) {
  const detail = useLoaded(() => get<OperatorAccountDetail>(`operator/accounts/${id}`), id);
  const [open, setOpen] = useState<Open>(null);
  return (
    <>
      <p>
        <a href={backHref}>← All accounts</a>
      </p>
      <LoadedPart loaded={detail} lines={8}>
        {({ account, keys, calls, plans }) => (
          <>
            <Facts account={account}>
              <Button onClick={() => setOpen('plan')}>Change plan</Button>
              {!isOwn && (
                <Button tone={account.active ? 'danger' : 'secondary'} onClick={() => setOpen('suspension')}>
                  {account.active ? 'Suspend' : 'Resume'}
                </Button>
              )}
            </Facts>
            <Section title="Keys">
              <KeyTable keys={keys} onRevoke={setOpen} />
            </Section>
            <Calls calls={calls} />
            <Commands
              lines={[
                `accounts change "${account.name}" ${account.active ? '--inactive' : '--active'}`,
                `accounts change "${account.name}" --plan PLAN`,
                'keys revoke ID',
              ]}
            />
            {open !== null && (
              <OpenDialog
                open={open}
                account={account}
                plans={plans}
                onClose={() => setOpen(null)}
                onChanged={detail.reload}
              />
            )}
          </>
        )}
      </LoadedPart>
    </>
  );
}

/** @param children buttons for changes */
function Facts({ account, children }: { readonly account: OperatorAccount; readonly children: ComponentChildren }) {
  const { name, active, plan, role, live_keys, used_this_month, created_at } = account;
  return (
    <>
      <PageHeading title={name} action={<div class="row-actions">{children}</div>} />
      <dl class="fact-grid">
        <Fact term="Status">
          <ActiveBadge active={active} />
        </Fact>
        <Fact term="Plan">{plan}</Fact>
        <Fact term="Role">{labelOf(role)}</Fact>
        <Fact term="Live keys">{formatNumber(live_keys)}</Fact>
        <Fact term="Calls this month">{formatNumber(used_this_month)}</Fact>
        <Fact term="Created">
          <Time at={created_at} />
        </Fact>
      </dl>
    </>
  );
}

const chartDays = 30;

function Calls({ calls }: Pick<OperatorAccountDetail, 'calls'>) {
  const byDay = callsByDay(calls, chartDays, Date.now());
  return (
    <Section title={`Calls in the last ${chartDays} days`}>
      {byDay.total === 0 ? <p class="muted">No calls</p> : <UsageChart calls={byDay} />}
    </Section>
  );
}

interface DialogProps {
  readonly account: OperatorAccount;
  readonly plans: readonly Plan[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function OpenDialog({ open, ...rest }: DialogProps & { readonly open: NonNullable<Open> }) {
  if (open === 'plan') return <PlanDialog {...rest} />;
  if (open === 'suspension') return <SuspensionDialog {...rest} />;
  return (
    <RevokeKeyDialog apiKey={open} path={`operator/keys/${open.id}`} onClose={rest.onClose} onRevoked={rest.onChanged}>
      Programs of {rest.account.name} that use <code>{open.prefix}…</code> stop working within 5 seconds. This cannot be
      undone.
    </RevokeKeyDialog>
  );
}

function SuspensionDialog({ account: { id, name, active }, onClose, onChanged }: DialogProps) {
  const label = active ? 'Suspend' : 'Resume';
  return (
    <ConfirmDialog
      title={`${label} ${name}?`}
      label={label}
      tone={active ? 'danger' : 'primary'}
      onClose={onClose}
      onConfirm={async () => {
        await post(`operator/accounts/${id}/suspension`, { suspended: active });
        announce(active ? `${name} was suspended.` : `${name} was resumed.`);
        onChanged();
      }}
    >
      <p>
        {active
          ? 'Its keys stop working within 5 seconds, until you resume it.'
          : 'Its keys work again within 5 seconds.'}
      </p>
    </ConfirmDialog>
  );
}

function PlanDialog({ account, plans, onClose, onChanged }: DialogProps) {
  const [plan, setPlan] = useState(account.plan);
  return (
    <ConfirmDialog
      title={`Change the plan of ${account.name}`}
      label="Change plan"
      tone="primary"
      onClose={onClose}
      onConfirm={async () => {
        await post(`operator/accounts/${account.id}/plan`, { plan });
        announce(`${account.name} is now on the plan ${plan}.`);
        onChanged();
      }}
    >
      <SelectField
        label="Plan"
        hint="The new limits apply immediately. Calls already made this month still count."
        value={plan}
        choices={plans
          .filter(({ active, name }) => active || name === account.plan)
          .map((choice) => [choice.name, planText(choice)])}
        onValue={setPlan}
      />
    </ConfirmDialog>
  );
}

function planText({ name, calls_per_minute, calls_per_month }: Plan): string {
  const limits = [
    [calls_per_minute, 'a minute'],
    [calls_per_month, 'a month'],
  ] as const;
  const words = limits.map(([limit, per]) => `${limit === null ? 'unlimited' : formatNumber(limit)} ${per}`);
  return `${name}: ${words.join(', ')}`;
}
