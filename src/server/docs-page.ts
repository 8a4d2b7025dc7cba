import { z } from 'zod';
import { PROBLEMS } from '../api/problems.ts';
import { html, type Markup, NOTHING } from '../text/markup.ts';

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
const operation = z.object({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(parameter).optional(),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
  responses: z.record(z.string(), response),
});
type Operation = z.infer<typeof operation>;
const apiDocument = z.object({
  info: z.object({ version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** The OpenAPI document as a page that needs no script. */
export function apiPage(document: unknown): string {
  const { info, paths, components } = apiDocument.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ method: method.toUpperCase(), path, ...one })),
  );
  const byTag = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'other');
  const sections = [...byTag].map(
    ([tag, own]) => html`<section><h2 id="${tag}">${tag}</h2>${own.map(operationPart)}</section>`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="schema-${name}">${name}</h3><pre>${indented(schema)}</pre>`,
  );
  return page(
    'rollcall API',
    html`<h1>rollcall API <small>${info.version}</small></h1><p>${info.description}</p>
<p><a href="/openapi.json">openapi.json</a>, for programs. <a href="/docs/errors">Errors</a>, with what to do. <a href="/">Console</a>.</p>
${sections}<section><h2 id="schemas">schemas</h2>${schemas}</section>`,
  );
}

/** Every code of a refused request, and what to do next. */
export function errorsPage(): string {
  const entries = Object.entries(PROBLEMS).map(
    ([code, { status, title, remedy }]) =>
      html`<h3 id="${code}"><code>${code}</code> <small>${String(status)}</small></h3><p>${title}. ${remedy}</p>`,
  );
  return page(
    'rollcall: errors',
    html`<h1>Errors</h1><p>A request that is refused gets a problem document (RFC 9457) with one of these codes. <a href="/docs">API</a></p>${entries}`,
  );
}

function operationPart({ method, path, ...one }: Operation & { method: string; path: string }): Markup {
  const { summary = '', description, parameters = [], requestBody, responses } = one;
  return html`<details><summary><code class="${method.toLowerCase()}">${method}</code> <code>${path}</code> <span>${summary}</span></summary>
${description === undefined ? NOTHING : html`<p>${description}</p>`}
${parameters.length === 0 ? NOTHING : parameterTable(parameters)}
${Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => html`<h4>Body, ${type}</h4><pre>${indented(schema)}</pre>`)}
<h4>Answers</h4><dl>${Object.entries(responses).map(responsePart)}</dl></details>
`;
}

function parameterTable(parameters: readonly z.infer<typeof parameter>[]): Markup {
  const rows = parameters.map(({ name, in: where, required, schema, description }) => {
    const text = description ?? schema?.description ?? '';
    const values = schema?.enum === undefined ? '' : `One of ${schema.enum.join(', ')}.`;
    return html`<tr><th scope="row"><code>${name}</code></th><td>${where}${required === true ? ', required' : ''}</td><td>${`${text} ${values}`.trim()}</td></tr>`;
  });
  return html`<table><caption>Options</caption><thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function responsePart([status, { description = '', content = {} }]: [string, z.infer<typeof response>]): Markup {
  const bodies = Object.entries(content).map(([type, { schema }]) => html` ${type}${schemaPart(schema)}`);
  return html`<dt><code>${status}</code></dt><dd>${description === 'Default Response' ? '' : description}${bodies}</dd>`;
}

const reference = z.object({ $ref: z.string() });

function schemaPart(schema: unknown): Markup {
  const named = reference.safeParse(schema).data?.$ref.split('/').at(-1);
  if (named !== undefined) return html`: <a href="#schema-${named}">${named}</a>`;
  const { success } = z.object({ type: z.literal('string') }).safeParse(schema);
  return success ? NOTHING : html`<pre>${indented(schema)}</pre>`;
}

/** JSON over several lines; `html` shows line breaks as blanks, so each line is a part of its own. */
function indented(value: unknown): Markup[] {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map(
      (line) => html`${line}
`,
    );
}

function page(title: string, content: Markup): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/docs/style.css"></head><body><main>${content}</main></body></html>
`.text;
}

export const PAGE_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h2 { margin-top: 2.5rem; text-transform: capitalize; }
h3 { margin: 1.5rem 0 0; }
small { font-weight: normal; opacity: 0.75; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { overflow-x: auto; padding: 0.75rem; border-radius: 6px; background: color-mix(in srgb, currentColor 7%, transparent); }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; margin: 0.5rem 0; padding: 0 0.75rem; overflow-x: auto; }
summary { padding: 0.5rem 0; cursor: pointer; }
summary span { opacity: 0.8; margin-left: 0.5rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: bold; padding: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
dd { margin: 0 0 0.5rem 1.5rem; }
.get, .post, .delete { display: inline-block; min-width: 4.5rem; font-weight: bold; }
.post { color: light-dark(#0a6b3d, #6fd6a2); }
.delete { color: light-dark(#a4262c, #ff9b9b); }
`;
