import { viewerFile } from '../../swagger-ui.ts';

// The documentation page: Swagger UI as its package has it, started with a few lines of ours. Nothing comes from
// elsewhere, so it works without the internet and under a policy that allows this origin alone.

export const docsFileNames = ['swagger-ui-bundle.js', 'swagger-ui.css', 'start.js', 'page.css'] as const;
export type DocsFileName = (typeof docsFileNames)[number];

/** @param addressOf a file of the page */
export function docsPage(addressOf: (name: DocsFileName) => string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Entity Search API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addressOf('swagger-ui.css')}">
<link rel="stylesheet" href="${addressOf('page.css')}">
</head>
<body>
<main id="docs"><p>Loading… The same for programs: <a href="/openapi.json">/openapi.json</a></p></main>
<script src="${addressOf('swagger-ui-bundle.js')}"></script>
<script src="${addressOf('start.js')}"></script>
</body>
</html>
`;
}

/** Requests are tried at the address that the page came from: its policy allows it no other one. */
const start = `const documentUrl = '/openapi.json';

SwaggerUIBundle({
  url: documentUrl,
  responseInterceptor(response) {
    if (new URL(response.url, location.href).pathname !== documentUrl || !response.ok) return response;
    response.text = JSON.stringify({ ...JSON.parse(response.text), servers: [{ url: location.origin }] });
    return response;
  },
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Long words and wide tables must not make the page wider than a small screen. */
const css = `body { margin: 0; }
#docs > p { margin: 2rem; font-family: sans-serif; }
.swagger-ui :focus-visible { outline: 3px solid #1a56db; outline-offset: 2px; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere; }
  .swagger-ui .opblock-body { overflow-x: auto; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
}
`;

/** A file of the page. Those of the viewer are read from its package. */
export function docsFile(name: DocsFileName): string {
  switch (name) {
    case 'start.js':
      return start;
    case 'page.css':
      return css;
    default:
      return viewerFile(name);
  }
}

/** What the page may load and call: this origin. Its viewer sets styles inline and has its pictures in its style sheet. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
