-- The calls of accounts. Both counters of an account are changed together, under the lock on its row in account_minutes,
-- so calls that arrive in different processes at the same time are decided one after another.

-- The current minute: it begins with a first call and lasts 60 s. Unlogged: after a crash of the server, minutes begin
-- again. Updates never change an indexed column, so full pages are pruned without a vacuum.
create unlogged table account_minutes (
  account_id bigint primary key references accounts on delete cascade,
  started_at timestamptz not null,
  used       integer not null check (used >= 0)
) with (fillfactor = 50);

-- One row per UTC month, kept. `day` is the latest day with a call, `day_used` the calls of that day.
create table account_months (
  account_id bigint not null references accounts on delete cascade,
  month      date not null check (month = date_trunc('month', month)),
  used       bigint not null check (used >= 0),
  day        date not null check (date_trunc('month', day) = month),
  day_used   bigint not null check (day_used >= 0),
  primary key (account_id, month)
) with (fillfactor = 50);

-- Decides on calls of one account in the order given: a call is admitted if its cost fits into the rest of the minute
-- and of the month, and takes nothing otherwise. A limit of null means none. The clock is the database's, read after
-- the lock is held: all processes agree on it.
--
-- `late` is the number of calls that were served without being counted. They are added to the month even beyond its
-- limit, and to no minute. `minute_used` and `month_used` are the use before the first of these calls, late ones
-- included. `minute` and `day` identify where the calls were counted, for return_calls.
create function take_calls(account bigint, costs integer[], minute_limit integer, month_limit bigint, late integer)
returns table (
  verdicts text[], minute timestamptz, minute_used integer, minute_left_ms integer,
  day date, month_used bigint, month_left_ms bigint
)
language plpgsql as $$
declare
  moment timestamptz;
  this_day date;
  this_month date;
  minute_now integer;
  month_now bigint;
  taken integer := late;
  cost integer;
begin
  select m.started_at, m.used into minute, minute_used from account_minutes m where m.account_id = account for update;
  if not found then
    insert into account_minutes values (account, '-infinity', 0) on conflict do nothing;
    select m.started_at, m.used into minute, minute_used from account_minutes m where m.account_id = account for update;
  end if;
  moment := clock_timestamp();
  this_day := (moment at time zone 'UTC')::date;
  this_month := date_trunc('month', this_day)::date;
  -- If a minute began in the future, the clock was set back since.
  if minute <= moment - interval '1 minute' or minute > moment then
    minute := moment;
    minute_used := 0;
  end if;
  month_used := late + coalesce(
    (select m.used from account_months m where m.account_id = account and m.month = this_month), 0);
  minute_now := minute_used;
  month_now := month_used;

  verdicts := '{}';
  foreach cost in array costs loop
    if month_now + cost > month_limit then
      verdicts := verdicts || 'quota_exceeded'::text;
    elsif minute_now + cost > minute_limit then
      verdicts := verdicts || 'rate_limited'::text;
    else
      verdicts := verdicts || 'admitted'::text;
      minute_now := minute_now + cost;
      month_now := month_now + cost;
      taken := taken + cost;
    end if;
  end loop;

  if taken > 0 then
    update account_minutes m set started_at = minute, used = minute_now where m.account_id = account;
    insert into account_months as m values (account, this_month, taken, this_day, taken)
    on conflict (account_id, month) do update set
      used = m.used + excluded.used,
      day_used = case when m.day = excluded.day then m.day_used else 0 end + excluded.day_used,
      day = excluded.day;
  end if;

  day := this_day;
  minute_left_ms := greatest(ceil(extract(epoch from minute + interval '1 minute' - moment) * 1000)::integer, 1);
  month_left_ms := greatest(ceil(extract(epoch from
    ((this_month + interval '1 month')::timestamp at time zone 'UTC') - moment) * 1000)::bigint, 1);
  return next;
end $$;

-- Returns calls to the minute, day and month in which they were counted, unless those have ended.
create function return_calls(account bigint, cost integer, taken_minute timestamptz, taken_day date) returns void
language plpgsql as $$
begin
  -- The same order of locks as in take_calls.
  perform from account_minutes m where m.account_id = account for update;
  update account_minutes m set used = greatest(m.used - cost, 0)
  where m.account_id = account and m.started_at = taken_minute;
  update account_months m set
    used = greatest(m.used - cost, 0),
    day_used = case when m.day = taken_day then greatest(m.day_used - cost, 0) else m.day_used end
  where m.account_id = account and m.month = date_trunc('month', taken_day)::date;
end $$;

-- Returns the use of an account in the current minute, today and this month.
create function used_calls(account bigint) returns table (
  minute_used integer, minute_left_ms integer, day_used bigint, month_used bigint, month_left_ms bigint
)
language sql stable as $$
  with now_is as (
    select moment, (moment at time zone 'UTC')::date as day,
           date_trunc('month', moment at time zone 'UTC') as month
    from clock_timestamp() as moment
  )
  select case when i.live then i.used else 0 end,
         case when i.live then greatest(ceil(extract(epoch from i.started_at + interval '1 minute' - n.moment) * 1000)::integer, 1)
              else 60000 end,
         case when m.day = n.day then m.day_used else 0 end,
         coalesce(m.used, 0),
         greatest(ceil(extract(epoch from ((n.month + interval '1 month') at time zone 'UTC') - n.moment) * 1000)::bigint, 1)
  from now_is n
  left join lateral (
    select c.started_at, c.used, c.started_at > n.moment - interval '1 minute' and c.started_at <= n.moment as live
    from account_minutes c where c.account_id = account
  ) as i on true
  left join account_months m on m.account_id = account and m.month = n.month::date
$$;

-- Calls by day (UTC), endpoint and outcome: `answered`, or the code of the error.
create table account_calls (
  account_id bigint not null references accounts,
  day        date not null,
  endpoint   text not null,
  outcome    text not null,
  calls      bigint not null check (calls > 0),
  primary key (account_id, day, endpoint, outcome)
) with (fillfactor = 50);
create index account_calls_day on account_calls (day);
