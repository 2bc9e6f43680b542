import type { EChartsOption } from 'echarts';
import type { Capacity } from './capacity.ts';
import { linesOf } from './constants.ts';
import { askedText } from './report.ts';
import { simulate } from './simulate.ts';

/** Of what was asked for. */
const shares = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

/** How long searches and changes wait as both grow together, on the machines of the plan. */
export function capacityChart(capacity: Capacity, figures: readonly unknown[]): EChartsOption {
  const { plan, constants } = capacity;
  const lines = linesOf(figures);
  const lag = (readers: number) =>
    shares.map((share) => {
      const conditions = { share, readers, rebuild: 'none', searching: false } as const;
      const { lagSeconds } = simulate(plan, lines, constants, conditions);
      return [share * 100, ((lagSeconds ?? 0) + constants.foundSeconds.value).toFixed(2)];
    });
  const searches = shares.map((share) => {
    const conditions = { share, readers: plan.readers, rebuild: 'none', searching: true } as const;
    return [share * 100, ((simulate(plan, lines, constants, conditions).searchMs?.p95 ?? 0) / 1_000).toFixed(3)];
  });
  const curve = (
    name: string,
    data: readonly (readonly (number | string)[])[],
    type: 'solid' | 'dashed' | 'dotted',
  ) => ({
    type: 'line' as const,
    name,
    data: data.map((point) => [...point]),
    lineStyle: { type },
  });
  return {
    animation: false,
    backgroundColor: '#ffffff',
    grid: { left: 80, right: 40, top: 70, bottom: 80 },
    title: {
      text: 'What breaks first, simulated',
      subtext: `100 %: ${askedText(capacity)}; changes after a minute`,
      left: 'center',
    },
    legend: { bottom: 0 },
    xAxis: { type: 'value', name: '% of what is asked for', max: 200, nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'log', name: 'seconds', min: 0.01, nameLocation: 'middle', nameGap: 55 },
    series: [
      curve('19 of 20 searches take less', searches, 'solid'),
      curve('99 of 100 changes found, 1 reader', lag(1), 'dashed'),
      ...(plan.readers === 1 ? [] : [curve(`the same, ${plan.readers} readers`, lag(plan.readers), 'dotted')]),
    ],
  };
}
