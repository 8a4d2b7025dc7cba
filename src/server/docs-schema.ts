import { z } from 'zod';
import { html, type Markup, NOTHING } from '../text/markup.ts';

/** Schemas of the OpenAPI document as people read them: a table of fields, and an example. */

interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly items?: Schema | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly propertyNames?: { readonly enum?: readonly unknown[] | undefined } | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
}

/** Of a field that the document has in an unexpected form, what is known is shown. */
const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    items: schemaShape.optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schemaShape]).optional(),
    propertyNames: z.object({ enum: z.array(z.unknown()).optional() }).optional(),
    anyOf: z.array(schemaShape).optional(),
    oneOf: z.array(schemaShape).optional(),
  }),
);

export type Schemas = Readonly<Record<string, unknown>>;

const MOST_VALUES = 12;
/** An example does not go deeper than this. */
const DEEPEST = 6;

export function readSchema(schema: unknown): Schema {
  return schemaShape.safeParse(schema).data ?? {};
}

/** The name of the schema that this one refers to; undefined for one of its own. */
export function referenceIn({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

/** Text with `names` in backticks as code. */
export function prose(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Its fields, those of objects within it included: `rows.added`, `imports[].id`. */
export function fieldsTable(schema: Schema): Markup {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return html`<p>${typeText(schema)}</p>`;
  const rows = fields.map(
    ({ name, own, isRequired }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${typeText(own)}${isRequired ? '' : ', optional'}</td><td>${prose(own.description ?? '')}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

interface Field {
  readonly name: string;
  readonly own: Schema;
  readonly isRequired: boolean;
}

function fieldsOf(schema: Schema, before: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, own]): Field[] => {
    const path = before === '' ? name : `${before}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const inner = own.properties === undefined ? choiceOf(own) : own;
    const item = inner.items;
    return [
      { name: path, own, isRequired },
      ...(inner.properties === undefined ? [] : fieldsOf(inner, path)),
      ...(item?.properties === undefined ? [] : fieldsOf(item, `${path}[]`)),
    ];
  });
}

/** Of what may be null, the rest. */
function choiceOf(schema: Schema): Schema {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return choices.find(({ type }) => type !== 'null') ?? schema;
}

function typeText(schema: Schema): Markup {
  const reference = referenceIn(schema);
  if (reference !== undefined) return html`<a href="#schema-${reference}">${reference}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    const shown = schema.enum.slice(0, MOST_VALUES).map(String).join(', ');
    return html`one of ${shown}${schema.enum.length > MOST_VALUES ? ', …' : ''}`;
  }
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.length > 0) {
    return html`${choices.map((one, index) => html`${index === 0 ? '' : ' or '}${typeText(one)}`)}`;
  }
  if (schema.items !== undefined) return html`list of ${typeText(schema.items)}`;
  if (schema.type === undefined) return NOTHING;
  const names = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return html`${names.join(' or ')}${schema.format === 'date-time' ? ' (time)' : ''}`;
}

/** Something that fits the schema, for people to see its form. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const reference = referenceIn(schema);
  if (reference !== undefined)
    return depth > DEEPEST ? {} : exampleOf(readSchema(schemas[reference]), schemas, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [choice] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choice !== undefined) return exampleOf(choice, schemas, depth + 1);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([name]) => schema.required?.includes(name) === true)
        .map(([name, own]) => [name, exampleOf(own, schemas, depth + 1)]),
    );
  }
  if (type === 'object') {
    const [first] = schema.propertyNames?.enum ?? [];
    const values = schema.additionalProperties;
    return first === undefined || typeof values !== 'object'
      ? {}
      : { [String(first)]: exampleOf(values, schemas, depth + 1) };
  }
  if (type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, schemas, depth + 1)];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return schema.format === 'date-time' ? '2026-11-22T08:30:00.000Z' : '…';
}
