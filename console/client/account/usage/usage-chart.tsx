import { useId } from 'preact/hooks';
import { counted, formatCompact, formatDay, formatShortDay } from '../../../shared/format.ts';
import { endpointWord } from '../words.ts';
import { type CallsByDay, chartHeight, dayWidth, scaleLines, stackedBars } from './calls-by-day.ts';

/** The number of colours in the style sheet. */
const seriesMax = 6;

/**
 * Calls per day as bars, stacked by endpoint. The drawing is stretched to the width that there is; its texts stand
 * around it, so that they keep their size. The same figures are in the tables below.
 */
export function UsageChart({ calls }: { readonly calls: CallsByDay }) {
  const id = useId();
  const { days, endpoints, total } = calls;
  const lines = scaleLines(Math.max(...days.map((day) => day.total)));
  const top = lines.at(-1) ?? 1;
  const width = days.length * dayWidth;
  const busiest = days.reduce((a, b) => (b.total > a.total ? b : a));
  return (
    <figure class="chart">
      <div class="chart-sheet">
        <ol class="chart-scale" aria-hidden="true">
          {lines.toReversed().map((line) => (
            <li key={line}>{formatCompact(line)}</li>
          ))}
        </ol>
        <svg
          class="chart-drawing"
          role="img"
          aria-labelledby={`${id}-title ${id}-desc`}
          viewBox={`0 0 ${width} ${chartHeight}`}
          preserveAspectRatio="none"
        >
          <title id={`${id}-title`}>Calls per day</title>
          <desc id={`${id}-desc`}>
            {counted(total, 'call')} in {days.length} days; the most, {counted(busiest.total, 'call')}, on{' '}
            {formatDay(busiest.day)}. The tables below have the figures.
          </desc>
          {lines.map((line) => (
            <line
              key={line}
              class="chart-line"
              x1={0}
              x2={width}
              y1={chartHeight * (1 - line / top)}
              y2={chartHeight * (1 - line / top)}
            />
          ))}
          {stackedBars(days, top).map((bars, i) => (
            <Day key={days[i]?.day} bars={bars} label={dayText(days[i], endpoints)} x={i * dayWidth} />
          ))}
        </svg>
        <p class="chart-days" aria-hidden="true">
          <span>{formatShortDay(days[0]?.day ?? '')}</span>
          <span>{formatShortDay(days[Math.floor(days.length / 2)]?.day ?? '')}</span>
          <span>{formatShortDay(days.at(-1)?.day ?? '')}</span>
        </p>
      </div>
      {endpoints.length > 1 && <Legend endpoints={endpoints} />}
    </figure>
  );
}

function Legend({ endpoints }: Pick<CallsByDay, 'endpoints'>) {
  return (
    <figcaption class="chart-legend">
      {endpoints.map(({ name }, series) => (
        <span key={name} class="chart-key">
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <rect class={`series series-${series % seriesMax}`} width="10" height="10" rx="2" />
          </svg>
          {endpointWord(name)}
        </span>
      ))}
    </figcaption>
  );
}

interface DayProps {
  readonly bars: ReturnType<typeof stackedBars>[number];
  /** The tooltip. */
  readonly label: string;
  readonly x: number;
}

function Day({ bars, label, x }: DayProps) {
  return (
    <g class="chart-day">
      <title>{label}</title>
      <rect class="chart-column" x={x} y={0} width={dayWidth} height={chartHeight} />
      {bars.map(({ series, ...bar }) => (
        <rect key={series} class={`series series-${series % seriesMax}`} {...bar} />
      ))}
    </g>
  );
}

function dayText(day: CallsByDay['days'][number] | undefined, endpoints: CallsByDay['endpoints']): string {
  if (day === undefined) return '';
  const parts = endpoints.flatMap(({ name }, i) => {
    const calls = day.byEndpoint[i] ?? 0;
    return calls === 0 ? [] : [`${endpointWord(name)}: ${calls}`];
  });
  return [`${formatDay(day.day)}: ${counted(day.total, 'call')}`, ...parts].join('\n');
}
