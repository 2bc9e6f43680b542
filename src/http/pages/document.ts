import type { PageState } from '../../pages/page.ts';
import type { Pages } from '../../ports.ts';

/** What the head of a document says of its page. */
export interface PageHead {
  readonly title: string;
  readonly description: string;
  /** The one address of the page, absolute; null where it has none that others could use. */
  readonly canonical: string | null;
  /** What the page is about, for search engines, as schema.org has it. */
  readonly about?: Readonly<Record<string, unknown>>;
}

const siteName = 'Entity Search';
/** Where the pages' files are. Their names hold a hash of their content. */
export const assetsPath = '/console/assets/';
/** As console/shared/page-state.ts has it; a test holds them together. */
export const pageStateId = 'page-state';

/** A whole page as HTML: the head, what the server renders, and beside it what the browser needs to take over. */
export function pageDocument(pages: Pages, state: PageState, head: PageHead): string {
  const { script, preload, style, icon } = pages;
  const title = head.title === siteName ? siteName : `${head.title} · ${siteName}`;
  const modules = preload.map((name) => `<link rel="modulepreload" href="${assetsPath}${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(head.description)}">
${socialTags(head).join('\n')}
<link rel="icon" type="image/svg+xml" href="${assetsPath}${icon}">
<link rel="stylesheet" href="${assetsPath}${style}">
${modules.join('\n')}
<script type="module" src="${assetsPath}${script}"></script>
${head.about === undefined ? '' : `<script type="application/ld+json">${dataBlock(head.about)}</script>`}
</head>
<body>
<div id="app">${pages.render(state)}</div>
<script type="application/json" id="${pageStateId}">${dataBlock(state)}</script>
</body>
</html>
`;
}

function socialTags({ title, description, canonical }: PageHead): readonly string[] {
  const tags = { 'og:site_name': siteName, 'og:type': 'website', 'og:title': title, 'og:description': description };
  return [
    ...(canonical === null
      ? []
      : [
          `<link rel="canonical" href="${escapeHtml(canonical)}">`,
          `<meta property="og:url" content="${escapeHtml(canonical)}">`,
        ]),
    ...Object.entries(tags).map(([name, value]) => `<meta property="${name}" content="${escapeHtml(value)}">`),
  ];
}

/** A text as it stands in an element or between double quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A value as JSON that can't end the element it stands in, whatever texts it holds. */
export function dataBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
