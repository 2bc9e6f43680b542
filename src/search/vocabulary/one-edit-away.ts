/** Returns true if two words differ by at most one letter: one too many, one too few, another one, or two swapped. */
export function isOneEditAway(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const [a, b] = [left.slice(at), right.slice(at)];
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  );
}
