import type { OpenApiDocument } from './document.ts';
import { endpointSection, entries, methodBadge } from './endpoint-section.ts';
import { errorsSection, goodToKnowSection, quickStartSection } from './page-sections.ts';
import { html, type Markup, prose, raw } from './html.ts';

/** The document as an HTML page. Links are relative, so that the page also works behind a path prefix. */
export function docsPage(document: OpenApiDocument): string {
  const { info } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="icon" href="${raw(icon)}">
<link rel="stylesheet" href="api/style.css">
<script src="api/script.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="layout">
${navigation(document)}<main id="content">
${overview(document)}${quickStartSection(baseUrl(document))}${authenticationSection(document)}<section id="endpoints" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
${entries(document).map((entry) => endpointSection(entry, document))}</section>
${errorsSection(document)}${headersSection(document)}${goodToKnowSection()}<footer>${info.title} ${info.version}</footer>
</main>
</div>
<div class="hidden" role="status"></div>
</body>
</html>
`.markup;
}

/** Three lines, like a streamed answer. Inline, so that nothing is fetched. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6b63'/%3E%3Cpath d='M4 5h8M4 8h6M4 11h3' stroke='white' stroke-width='1.5' stroke-linecap='round'/%3E%3C/svg%3E";

const sections: readonly (readonly [id: string, title: string])[] = [
  ['overview', 'Overview'],
  ['quick-start', 'Quick start'],
  ['authentication', 'Authentication'],
  ['endpoints', 'Endpoints'],
  ['errors', 'Errors'],
  ['headers', 'Headers'],
  ['good-to-know', 'Good to know'],
];

function navigation(document: OpenApiDocument): Markup {
  const endpoints = html`<ul>
${entries(document).map(({ method, path, operation }) => html`<li><a href="#${operation.operationId}">${methodBadge(method)} ${path}</a></li>\n`)}</ul>`;
  return html`<nav class="side" aria-label="Contents">
<p class="brand">${document.info.title} <small>${document.info.version}</small></p>
<ul>
${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a>${id === 'endpoints' ? endpoints : undefined}</li>\n`)}</ul>
</nav>
`;
}

function baseUrl(document: OpenApiDocument): string {
  return document.servers[0]?.url ?? '';
}

function overview(document: OpenApiDocument): Markup {
  return html`<header id="overview">
<h1>${document.info.title} API</h1>
<p class="lead">${prose(document.info.description)}</p>
<dl class="facts">
<div><dt>Base address</dt><dd><code>${baseUrl(document)}/v1</code></dd></div>
<div><dt>For machines</dt><dd><a href="/openapi.json">openapi.json</a></dd></div>
${supportFact(document)}</dl>
</header>
`;
}

function supportFact({ info: { contact } }: OpenApiDocument): Markup | undefined {
  return contact && html`<div><dt>Support</dt><dd><a href="mailto:${contact.email}">${contact.email}</a></dd></div>\n`;
}

function authenticationSection({ components }: OpenApiDocument): Markup {
  return html`<section id="authentication" aria-labelledby="authentication-title">
<h2 id="authentication-title">Authentication</h2>
${Object.values(components.securitySchemes).map(({ description }) => html`<p>${prose(description)}</p>\n`)}<p>Without a valid key the answer is <code>401</code> <code>invalid_api_key</code>. A key can be limited to some models. Other models are then missing from its list, and a request for one returns <code>403</code> <code>access_denied</code>, as for a model that does not exist.</p>
</section>
`;
}

function headersSection({ components }: OpenApiDocument): Markup {
  return html`<section id="headers" aria-labelledby="headers-title">
<h2 id="headers-title">Headers</h2>
<p>Every response carries these headers, errors included.</p>
<div class="table"><table class="headers">
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th><th scope="col">Example</th></tr></thead>
<tbody>
${Object.entries(components.headers).map(([name, header]) => html`<tr><th scope="row"><code>${name}</code></th><td>${prose(header.description)}</td><td><code>${header.example}</code></td></tr>\n`)}</tbody>
</table></div>
</section>
`;
}
