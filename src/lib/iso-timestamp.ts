/** SQL for a timestamp as ISO 8601 in UTC, whatever the session's time zone. */
export function isoTimestamp(expression: string, precision: 'seconds' | 'milliseconds' = 'milliseconds'): string {
  const fraction = precision === 'milliseconds' ? '.MS' : '';
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS${fraction}"Z"')`;
}
