import type { ErrorPage } from '../../../src/pages/page.ts';
import { ButtonLink } from '../ui/button.tsx';

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to see this',
  403: 'Not for this account',
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'Not available just now',
};

export function ErrorView({ page }: { readonly page: ErrorPage }) {
  return (
    <div class="page error-page">
      <p class="eyebrow">{page.status}</p>
      <h1>{titles[page.status] ?? 'Something went wrong'}</h1>
      <p class="lead">{page.message}</p>
      <p class="chips">
        {page.status === 401 ? (
          <ButtonLink href="/account/sign-in" tone="primary">
            Sign in
          </ButtonLink>
        ) : (
          <ButtonLink href="/search" tone="primary">
            Search
          </ButtonLink>
        )}
        <ButtonLink href="/">Start page</ButtonLink>
      </p>
    </div>
  );
}
