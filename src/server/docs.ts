import { ERRORS, REFUSAL_CODES } from '../errors/errors.ts';
import { html, type Markup, NOTHING } from '../text/markup.ts';
import type { Api } from './context.ts';

/** The API for people; Swagger UI draws it from `/openapi.json`. */
function apiPage() {
  return page(
    'rollcall API',
    html`<nav aria-label="Pages" class="links"><a href="/">Back to the console</a> <a href="/docs/errors">Errors, with what to do</a> <a href="/openapi.json">openapi.json, for programs</a></nav>
<noscript><p>This page needs JavaScript. Without it, <a href="/openapi.json">openapi.json</a> says the same.</p></noscript><div id="api"></div>`,
    html`<link rel="stylesheet" href="/assets/swagger-ui.css"><script src="/assets/swagger-ui-bundle.js" defer></script><script src="/docs/page.js" defer></script>`,
  );
}

/** Every code of a refused request, and what to do next. It needs no script. */
function errorsPage() {
  const entries = REFUSAL_CODES.map((code) => {
    const { status, title, advice } = ERRORS[code];
    return html`<h2 id="${code}"><code>${code}</code> <small>${String(status)}</small></h2><p>${prose(`${title}. ${advice}`)}</p>`;
  });
  return page(
    'rollcall: errors',
    html`<main><h1>Errors</h1><p class="links"><a href="/">Back to the console</a> <a href="/docs">API</a></p><p>A request that is refused gets a problem document (RFC 9457) with one of these codes.</p>${entries}</main>`,
  );
}

/** Text with `names` in backticks as code. */
function prose(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function page(title: string, content: Markup, head = NOTHING) {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/assets/mark.svg" type="image/svg+xml">${head}<link rel="stylesheet" href="/docs/style.css"></head><body>${content}</body></html>
`.text;
}

const PAGE_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();
// A link within a button is reached by no screen reader; its address works without it.
const noLinkInButton = () => ({ components: { DeepLink: ({ text }) => text } });
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [noLinkInButton],
});
// Adds the names and landmarks that Swagger UI leaves out, and corrects headings that skip a level.
const name = () => {
  for (const row of document.querySelectorAll('tr[data-param-name]'))
    for (const field of row.querySelectorAll(':is(select, input, textarea):not([aria-label])'))
      field.setAttribute('aria-label', row.dataset.paramName);
  for (const field of document.querySelectorAll('.opblock-section-request-body textarea:not([aria-label])'))
    field.setAttribute('aria-label', 'Body of the request');
  document.getElementById('servers')?.setAttribute('aria-label', 'Server');
  for (const heading of document.querySelectorAll('#api :is(h3, h4, h5):not([aria-level])'))
    heading.setAttribute('aria-level', Number(heading.tagName[1]) - 1);
  for (const [part, label] of [['information-container', 'About the API'], ['filter-container', 'Filter'], ['schemes-server-container', 'Servers']])
    for (const element of document.getElementsByClassName(part)) {
      element.role = 'region';
      element.ariaLabel = label;
    }
};
new MutationObserver(name).observe(document.getElementById('api'), { childList: true, subtree: true });
`;

const PAGE_STYLE = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f4f3ef, #101417); color: light-dark(#1d232a, #e9e6df); }
body > * { max-width: 66rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.75rem; }
h2 { margin-top: 2.5rem; font-size: 1.25rem; }
a { color: light-dark(#1f5f8b, #86bfe6); text-underline-offset: 0.15em; }
small { font-weight: normal; color: light-dark(#565e67, #a5acb4); }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
.links { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
#api .swagger-ui { background: none; }
#api .scheme-container { margin: 0; padding: 0 0 1rem; background: none; box-shadow: none; }
#api .info { margin: 2rem 0 1rem; }
#api .info .title small { background: #41505f; }
#api .info .title .version { background: none; }
#api .response-col_links { display: none; }
#api :is(.highlight-code > .example, pre.microlight) { max-height: none; overflow: visible !important; white-space: pre-wrap; overflow-wrap: anywhere; }
html:not(.dark-mode) #api .opblock .opblock-summary-method { background: #41505f; }
html:not(.dark-mode) #api .opblock.opblock-post .opblock-summary-method { background: #0a6b3d; }
html:not(.dark-mode) #api .opblock.opblock-delete .opblock-summary-method { background: #a4262c; }
html:not(.dark-mode) #api :is(.info a, .url, .parameter__in, .renderedMarkdown code, .response-control-media-type__accept-message, .response-control-media-type__accept-message code, .btn.authorize span, .json-schema-2020-12-expand-deep-button) { color: #1f5f8b; }
html:not(.dark-mode) #api :is(.btn.execute, .download-contents) { border-color: #1f5f8b; background: #1f5f8b; }
.dark-mode #api .opblock-put .opblock-section-header { background: #3d2a1f; }
#api .btn.cancel { border-color: currentcolor; color: light-dark(#a4262c, #ff9a9a); }
@media (prefers-reduced-motion) { #api * { transition: none !important; } }
@media (max-width: 30rem) { #api :is(.wrapper, .opblock-section-header, .responses-inner) { padding: 0.5rem 0; } }
:focus-visible { outline: 2px solid light-dark(#1f5f8b, #86bfe6); outline-offset: 2px; }
`;

/** `/openapi.json` for programs, `/docs` and `/docs/errors` for people. */
export function docsRoutes(app: Api) {
  const options = { config: { role: 'public' } as const, schema: { hide: true } };
  app.get('/openapi.json', options, async () => app.swagger());
  const page = (url: string, type: string, text: () => string) =>
    app.get(url, options, async (_request, reply) => reply.type(`${type}; charset=utf-8`).send(text()));
  page('/docs', 'text/html', apiPage);
  page('/docs/errors', 'text/html', errorsPage);
  page('/docs/page.js', 'text/javascript', () => PAGE_SCRIPT);
  page('/docs/style.css', 'text/css', () => PAGE_STYLE);
}
