import { z } from 'zod';
import { PROBLEMS } from '../api/problems.ts';
import { html, type Markup, NOTHING } from '../text/markup.ts';
import { exampleOf, fieldsTable, prose, readSchema, referenceIn, type Schemas } from './docs-schema.ts';

/** What the page shows of the OpenAPI document. */
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  schema: z.object({ description: z.string().optional(), enum: z.array(z.unknown()).optional() }).optional(),
  description: z.string().optional(),
});
const response = z.object({
  description: z.string().optional(),
  content: z.record(z.string(), z.object({ schema: z.unknown() })).optional(),
});
type Response = z.infer<typeof response>;
const operation = z.object({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(parameter).optional(),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
  responses: z.record(z.string(), response),
});
type Operation = z.infer<typeof operation> & { readonly method: string; readonly path: string };
const apiDocument = z.object({
  info: z.object({ version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** The OpenAPI document as a page. Everything is there without a script; with one it can be searched (`PAGE_SCRIPT`). */
export function apiPage(document: unknown): string {
  const { info, paths, components } = apiDocument.parse(document);
  const { schemas } = components;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => ({ method: method.toUpperCase(), path, ...one })),
  );
  const byTag = [...Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'other')];
  const contents = byTag.map(([tag, own]) => html`<li><a href="#${tag}">${tag}</a> <small>${own.length}</small></li>`);
  const sections = byTag.map(
    ([tag, own]) =>
      html`<section><h2 id="${tag}">${tag}</h2>${own.map((one) => operationPart(one, schemas))}</section>`,
  );
  const parts = Object.entries(schemas).map(
    ([name, schema]) =>
      html`<details data-find="${name}"><summary><h3 id="schema-${name}">${name}</h3></summary>${fieldsTable(readSchema(schema))}</details>`,
  );
  return page(
    'rollcall API',
    html`<h1>rollcall API <small>${info.version}</small></h1><p>${prose(info.description)}</p>
<p class="links"><a href="/">Back to the console</a> <a href="/docs/errors">Errors, with what to do</a> <a href="/openapi.json">openapi.json, for programs</a></p>
<h2 id="start">Start</h2>
<p>The examples use two variables of your shell: the address of this server, and a token that <code>rollcall token create</code> makes. Without tokens leave the header out.</p>
<pre tabindex="0">${lines(`export ROLLCALL_SERVER=http://127.0.0.1:7700
export ROLLCALL_TOKEN=rct_…
${curlOf('POST', '/v1/imports?name=members.csv', ['-H "Content-Type: text/csv"', '--data-binary @members.csv'])}
${curlOf('GET', '/v1/imports?problems=true&limit=10')}`)}</pre>
<p>A list has pages: <code>nextCursor</code> of one is <code>cursor</code> of the next, and null on the last. Imports that begin meanwhile shift nothing.</p>
<div id="search" class="search" hidden><label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false" placeholder="address, option, field or word"> <span id="found" role="status"></span></div>
<nav aria-label="Contents"><ul class="contents">${contents}<li><a href="#schemas">schemas</a> <small>${parts.length}</small></li></ul></nav>
${sections}<section><h2 id="schemas">schemas</h2><p>What answers are made of.</p>${parts}</section>`,
    html`<script src="/docs/search.js" defer></script>`,
  );
}

/** Every code of a refused request, and what to do next. */
export function errorsPage(): string {
  const entries = Object.entries(PROBLEMS).map(
    ([code, { status, title, remedy }]) =>
      html`<h2 id="${code}"><code>${code}</code> <small>${String(status)}</small></h2><p>${prose(`${title}. ${remedy}`)}</p>`,
  );
  return page(
    'rollcall: errors',
    html`<h1>Errors</h1><p class="links"><a href="/">Back to the console</a> <a href="/docs">API</a></p><p>A request that is refused gets a problem document (RFC 9457) with one of these codes.</p>${entries}`,
  );
}

function operationPart(one: Operation, schemas: Schemas): Markup {
  const { method, path, summary = '', description, parameters = [], responses } = one;
  const words = [method, path, summary, ...parameters.map(({ name }) => name), ...fieldNames(responses)].join(' ');
  return html`<details data-find="${words}"><summary><code class="${method.toLowerCase()}">${method}</code> <code>${path}</code> <span>${summary}</span></summary>
${description === undefined ? NOTHING : html`<p>${prose(description)}</p>`}
<h3>Example</h3><pre tabindex="0">${lines(requestExample(one, schemas))}</pre>
${parameters.length === 0 ? NOTHING : parameterTable(parameters)}
${bodyPart(one)}
<h3>Answers</h3><dl>${Object.entries(responses).map((entry) => responsePart(entry, schemas))}</dl></details>
`;
}

/** Names of fields of what is answered, for the search. */
function fieldNames(responses: Readonly<Record<string, Response>>): string[] {
  return Object.values(responses).flatMap(({ content = {} }) =>
    Object.values(content).flatMap(({ schema }) => {
      const read = readSchema(schema);
      return [referenceIn(read) ?? '', ...Object.keys(read.properties ?? {})];
    }),
  );
}

function curlOf(method: string, path: string, more: readonly string[] = []): string {
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return [`curl ${verb}"$ROLLCALL_SERVER${path}"`, '-H "Authorization: Bearer $ROLLCALL_TOKEN"', ...more].join(
    ' \\\n  ',
  );
}

/** The request as a shell sends it, with the options that it must have. */
function requestExample(
  { method, path, parameters = [], requestBody, summary = '' }: Operation,
  schemas: Schemas,
): string {
  const required = parameters.filter(({ in: where, required: must }) => where === 'query' && must === true);
  const query = required.map(({ name }) => `${name}=…`).join('&');
  const address = `${path.replace(/\{(\w+)\}/g, '$1')}${query === '' ? '' : `?${query}`}`;
  const json = requestBody?.content['application/json']?.schema;
  if (json !== undefined) {
    const body = JSON.stringify(exampleOf(readSchema(json), schemas));
    return curlOf(method, address, ['-H "Content-Type: application/json"', `-d '${body}'`]);
  }
  const takesFile = /^\/v1\/(imports|syncs|preview|inspect)$/.test(path) && method === 'POST';
  return curlOf(
    method,
    address,
    takesFile || (/file/i.test(summary) && method === 'POST' && requestBody !== undefined)
      ? ['-H "Content-Type: text/csv"', '--data-binary @members.csv']
      : [],
  );
}

function parameterTable(parameters: readonly z.infer<typeof parameter>[]): Markup {
  const rows = parameters.map(({ name, in: where, required, schema, description }) => {
    const text = description ?? schema?.description ?? '';
    const values = schema?.enum === undefined ? '' : `One of ${schema.enum.join(', ')}.`;
    return html`<tr><th scope="row"><code>${name}</code></th><td>${where}${required === true ? ', required' : ''}</td><td>${prose(`${text} ${values}`.trim())}</td></tr>`;
  });
  return html`<h3>Options</h3><table><thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function bodyPart({ requestBody }: Operation): Markup {
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => html`<h3>Body, ${type}</h3>${fieldsTable(readSchema(schema))}`,
  );
  return html`${bodies}`;
}

/** Refusals of one status share a line; what is answered has its fields and an example. */
function responsePart([status, { description = '', content = {} }]: [string, Response], schemas: Schemas): Markup {
  const isRefusal = /^[45]/.test(status);
  const codes = description
    .split(', ')
    .map(
      (code, index) =>
        html`${index === 0 ? '' : ', '}${Object.hasOwn(PROBLEMS, code) ? html`<a href="/docs/errors#${code}">${code}</a>` : html`${code}`}`,
    );
  const bodies = Object.entries(content).map(([type, { schema }]) => answerPart(type, schema, schemas));
  const text = description === 'Default Response' ? NOTHING : html`${codes}`;
  return html`<dt><code>${status}</code></dt><dd>${text}${isRefusal ? NOTHING : html`${bodies}`}</dd>`;
}

function answerPart(type: string, schema: unknown, schemas: Schemas): Markup {
  const read = readSchema(schema);
  const name = referenceIn(read);
  if (type !== 'application/json') return html` ${type}`;
  const example = JSON.stringify(exampleOf(read, schemas), null, 2);
  const fields = name === undefined ? fieldsTable(read) : html`<p>Fields: <a href="#schema-${name}">${name}</a></p>`;
  return html`${fields}<details><summary>Example of the answer</summary><pre tabindex="0">${lines(example)}</pre></details>`;
}

/** A text over several lines; `html` shows line breaks as blanks, so each line is a part of its own. */
function lines(text: string): Markup[] {
  return text.split('\n').map(
    (line) => html`${line}
`,
  );
}

function page(title: string, content: Markup, script = NOTHING): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/assets/mark.svg" type="image/svg+xml"><link rel="stylesheet" href="/docs/style.css">${script}</head><body><main>${content}</main></body></html>
`.text;
}

/** Searches the page: hides what does not fit, opens what a link leads to. Without it everything is shown. */
export const PAGE_SCRIPT = `const box = document.getElementById('search');
const field = document.getElementById('find');
const found = document.getElementById('found');
const parts = [...document.querySelectorAll('details[data-find]')];
const texts = parts.map((part) => (part.dataset.find + ' ' + part.textContent).toLowerCase());
const search = () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  let count = 0;
  parts.forEach((part, index) => {
    part.hidden = !words.every((word) => texts[index].includes(word));
    if (!part.hidden) count += 1;
  });
  for (const section of document.querySelectorAll('section')) {
    section.hidden = words.length > 0 && section.querySelector('details[data-find]:not([hidden])') === null;
  }
  found.textContent = words.length === 0 ? '' : count === 1 ? '1 entry' : count + ' entries';
};
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const part = target?.closest('details');
  if (part === null || part === undefined) return;
  part.hidden = false;
  part.open = true;
  target.scrollIntoView();
};
box.hidden = false;
field.addEventListener('input', search);
addEventListener('hashchange', openTarget);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === field) return;
  event.preventDefault();
  field.focus();
});
openTarget();
`;

export const PAGE_STYLE = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#f4f3ef, #101417); color: light-dark(#1d232a, #e9e6df); }
main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; }
h2 { margin-top: 2.5rem; font-size: 1.25rem; text-transform: capitalize; }
h2 code { text-transform: none; }
h3 { margin: 1.25rem 0 0.4rem; font-size: 1rem; }
summary h3 { display: inline; margin: 0; font-weight: 600; }
a { color: light-dark(#1f5f8b, #86bfe6); text-underline-offset: 0.15em; }
small { font-weight: normal; color: light-dark(#565e67, #a5acb4); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { overflow-x: auto; padding: 0.75rem; border-radius: 6px; background: light-dark(#f7f6f2, #14191d); border: 1px solid light-dark(#dedad1, #2f363d); }
.links, .contents { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; }
.contents a { text-transform: capitalize; }
.search { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; padding: 0.6rem 0; background: light-dark(#f4f3ef, #101417); }
.search[hidden] { display: none; }
.search label { font-weight: 600; }
.search input { flex: 1 1 12rem; max-width: 30rem; padding: 0.42rem 0.6rem; border: 1px solid light-dark(#868c92, #727a83); border-radius: 6px; background: light-dark(#fff, #181d22); color: inherit; font: inherit; }
section > details { border: 1px solid light-dark(#dedad1, #2f363d); border-radius: 6px; margin: 0.5rem 0; padding: 0 0.75rem; background: light-dark(#fff, #181d22); overflow-x: auto; scroll-margin-top: 4rem; }
h2, h3 { scroll-margin-top: 4rem; }
details[open] { padding-bottom: 0.75rem; }
summary { padding: 0.5rem 0; cursor: pointer; }
summary span { color: light-dark(#565e67, #a5acb4); margin-left: 0.5rem; }
:focus-visible { outline: 2px solid light-dark(#1f5f8b, #86bfe6); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid light-dark(#dedad1, #2f363d); overflow-wrap: anywhere; }
th { font-weight: 500; }
dd { margin: 0 0 0.75rem 1.5rem; }
.get, .post, .delete { display: inline-block; min-width: 4.5rem; font-weight: bold; }
.post { color: light-dark(#0a6b3d, #6fd6a2); }
.delete { color: light-dark(#a4262c, #ff9b9b); }
`;
