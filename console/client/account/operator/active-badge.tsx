import { StateBadge } from '../parts.tsx';

/** Whether an account may call. */
export function ActiveBadge({ active }: { readonly active: boolean }) {
  return <StateBadge tone={active ? 'good' : 'bad'}>{active ? 'Active' : 'Suspended'}</StateBadge>;
}
