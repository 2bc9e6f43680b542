import { viewerFile } from '../../swagger-ui.ts';

// The documentation page: Swagger UI from its package, with a short start script. It loads everything from this origin,
// so it works without the internet.

export const docsFileNames = ['swagger-ui-bundle.js', 'swagger-ui.css', 'start.js', 'page.css'] as const;
export type DocsFileName = (typeof docsFileNames)[number];

/** @param addressOf returns the address of a file */
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
<main id="docs"><p>Loading… For programs: <a href="/openapi.json">/openapi.json</a></p></main>
<script src="${addressOf('swagger-ui-bundle.js')}"></script>
<script src="${addressOf('start.js')}"></script>
</body>
</html>
`;
}

/** Requests go to the page's own origin, because its policy allows no other. */
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

/** Keeps long words and wide tables from making the page wider than a small screen. */
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

/** Returns a file of the page. Files of Swagger UI are read from its package. */
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

/** The page may only load and call this origin. Swagger UI uses inline styles, and images in its style sheet. */
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
