import type { ComponentChildren } from 'preact';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { Site, StartPage } from '../../../src/pages/page.ts';
import { Constellation } from '../constellation.tsx';
import { formatNumber } from '../format.ts';
import { kindList, kindWords } from '../kinds.ts';
import { labelOf } from '../record.ts';
import { SearchBox } from '../search/box/search-box.tsx';
import { Snippets } from '../search/snippets.tsx';
import { emptySearch, searchHref } from '../search/state.ts';
import { ButtonLink } from '../ui/button.tsx';

const kindTexts: Readonly<Record<KindName, string>> = {
  companies: 'Locations, funding, investors, people and topics.',
  people: 'Roles, companies, talks and proposals.',
  investors: 'Portfolio, focus, stages and ticket size.',
  events: 'Dates, venues, topics and speakers.',
};

interface StartViewProps {
  readonly site: Site;
  readonly page: StartPage;
}

/** The start page: the service in one sentence, a search box, the first API call and prices. */
export function StartView({ site, page }: StartViewProps) {
  return (
    <div class="page start-page">
      <Hero examples={page.examples} />
      <Kinds />
      <Begin site={site} />
      <Prices site={site} page={page} />
    </div>
  );
}

function Hero({ examples }: Pick<StartPage, 'examples'>) {
  return (
    <section class="hero">
      <div class="hero-text">
        <h1>Search Web3 companies, people, investors and events</h1>
        <p class="lead">
          One search for the whole ecosystem, with typo tolerance, filters and related entities. Your programs get the
          same results through the API.
        </p>
        <SearchBox query="" type="all" />
        {examples.length > 0 && (
          <p class="examples">
            <span class="muted">Try</span>
            {examples.map(({ filter, value }) => (
              <a key={value} href={searchHref({ ...emptySearch, filters: { [filter]: [value] } })}>
                {labelOf(value)}
              </a>
            ))}
          </p>
        )}
      </div>
      <Constellation />
    </section>
  );
}

function Kinds() {
  return (
    <section aria-labelledby="inside">
      <h2 class="eyebrow" id="inside">
        Explore
      </h2>
      <ul class="kinds">
        {kindList.map((kind) => (
          <li key={kind} class={`kind-${kind}`}>
            <h3>
              <a href={searchHref({ ...emptySearch, type: kind })}>{kindWords[kind].many}</a>
            </h3>
            <p>{kindTexts[kind]}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Begin({ site }: Pick<StartViewProps, 'site'>) {
  return (
    <section class="begin" aria-labelledby="begin">
      <div class="begin-text">
        <h2 id="begin">Use the API</h2>
        <ol class="steps">
          <Step title="Get an API key">
            Sign in and create a key in <a href="/account/keys">your account</a>.
          </Step>
          <Step title="Send the key">
            Use the header <code>Authorization: Bearer</code>. Each search, record or suggestion counts as one call.
          </Step>
          <Step title="Read the docs">
            <a href="/docs">Try requests in the documentation</a>, or give your language model{' '}
            <a href="/llms.txt">llms.txt</a>.
          </Step>
        </ol>
      </div>
      <Snippets
        origin={site.origin}
        request={{
          path: '/api/v1/search',
          params: new URLSearchParams({ type: 'companies', query: 'decentralised exchange', facets: 'country' }),
        }}
      />
    </section>
  );
}

function Prices({ site, page }: StartViewProps) {
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">Pricing</h2>
      <ul class="prices">
        <Price name="Website" price="Free" action={<ButtonLink href="/search">Search</ButtonLink>}>
          {site.visitorSearchesPerMinute > 0
            ? `${formatNumber(site.visitorSearchesPerMinute)} searches a minute on this website, without an account.`
            : 'Sign in to search.'}
        </Price>
        <Price
          name="API key"
          price={page.signUp === 'open' ? 'Free to start' : 'By plan'}
          action={
            <ButtonLink href="/account/keys" tone="primary">
              Get an API key
            </ButtonLink>
          }
        >
          {planText(page)} All keys of an account share its limits.
        </Price>
        {site.priceUsd !== null && (
          <Price
            name="Pay per search"
            price={`${site.priceUsd} USD`}
            unit="a search"
            action={<ButtonLink href="/docs#paidSearch">Payment guide</ButtonLink>}
          >
            No account or key. Your program pays for each search in USDC over x402.
          </Price>
        )}
      </ul>
    </section>
  );
}

/** Returns the ways to get an account, and the calls that its plan includes. */
function planText({ signUp, plan }: StartPage): string {
  const limits = [
    plan?.callsPerMinute ? `${formatNumber(plan.callsPerMinute)} calls a minute` : null,
    plan?.callsPerMonth ? `${formatNumber(plan.callsPerMonth)} a month` : null,
  ].filter((limit) => limit !== null);
  if (signUp === 'open' && limits.length > 0) return `Sign in with any wallet for ${limits.join(' and ')}.`;
  if (signUp === 'open') return 'Sign in with any wallet.';
  if (signUp === 'closed') return 'Sign-up is closed. Ask the operator of this service for an account.';
  return 'Accounts are by invitation.';
}

function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <li>
      <h3>{title}</h3>
      <p>{children}</p>
    </li>
  );
}

interface PriceProps {
  readonly name: string;
  readonly price: string;
  readonly unit?: string;
  readonly children: ComponentChildren;
  readonly action: ComponentChildren;
}

function Price({ name, price, unit, children, action }: PriceProps) {
  return (
    <li>
      <h3 class="eyebrow">{name}</h3>
      <p class="price">
        {price} {unit !== undefined && <span class="price-unit">{unit}</span>}
      </p>
      <p class="price-text">{children}</p>
      <p class="price-action">{action}</p>
    </li>
  );
}
