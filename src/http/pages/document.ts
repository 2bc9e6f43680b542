import { type PageState, pageStateId } from '../../pages/page.ts';
import type { Pages } from '../../ports.ts';

export interface PageHead {
  readonly title: string;
  readonly description: string;
  /** The canonical address of the page, or null if only this request reaches it. */
  readonly canonical: string | null;
}

const siteName = 'Entity Search';
/** Folder of the pages' files, whose names include a hash of their content. */
export const assetsPath = '/console/assets/';

/** Returns a page as HTML: the head, the rendered content, and the state from which the browser continues. */
export function pageDocument(pages: Pages, state: PageState, head: PageHead): string {
  const { script, preload, account, style, icon } = pages;
  const title = head.title === siteName ? siteName : `${head.title} · ${siteName}`;
  const imported = state.page.name === 'account' ? [...preload, account] : preload;
  const modules = imported.map((name) => `<link rel="modulepreload" href="${assetsPath}${name}">`);
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

/** Escapes a text for an element or a double-quoted attribute. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Returns a value as JSON that cannot end its script element. */
function dataBlock(value: object): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
