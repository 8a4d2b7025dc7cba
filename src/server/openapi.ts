import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Operation } from '../api/operation.ts';
import { PROBLEM_TYPE, problem } from '../api/problems.ts';
import { ERRORS, type RefusalCode } from '../errors/errors.ts';
import { NOTIFICATIONS, regionNote } from '../features/notify/operations.ts';
import { LICENCE, VERSION } from '../platform/packages.ts';
import { capitalised } from '../text/wording.ts';
import type { Api } from './context.ts';
import { FILE_TYPES } from './uploads/upload-options.ts';

/** The description of the API (OpenAPI), made of what operations declare. */

const DESCRIPTION =
  'Imports memberships into chat groups in bulk, and accounts for every row. Where the server asks for a token, send it in the header `Authorization: Bearer <token>`. A request that is refused gets a problem document (RFC 9457) with a stable code.';

type Json = Record<string, unknown>;

/** For generated clients: whole numbers without JavaScript's bounds, and records with named keys as objects. */
function plain(schema: Json) {
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  const { propertyNames, additionalProperties } = schema as {
    propertyNames?: { enum?: string[] };
    additionalProperties?: unknown;
  };
  if (propertyNames?.enum === undefined) return;
  schema['properties'] = Object.fromEntries(propertyNames.enum.map((name) => [name, additionalProperties]));
  schema['additionalProperties'] = false;
  delete schema['propertyNames'];
}
const CONFIG = { zodToJsonConfig: { override: ({ jsonSchema }: { jsonSchema: object }) => plain(jsonSchema as Json) } };

const describeRoute = createJsonSchemaTransform(CONFIG);

interface Refusal {
  readonly description: string;
  readonly content: { readonly [PROBLEM_TYPE]: { readonly schema: typeof problem } };
}

/** Refusals that every route may answer with, in addition to those that it names. */
const ALWAYS: readonly RefusalCode[] = [
  'TOKEN_REQUIRED',
  'TOKEN_REFUSED',
  'TOKEN_EXPIRED',
  'ROLE_TOO_LOW',
  'WRONG_HOST',
  'TWO_HOSTS',
  'INTERNAL',
  'BUSY',
  'DAMAGED_LEDGER',
  'LEDGER_MISSING',
  'DATABASE_BUSY',
  'STOPPING',
];
/** Refusals of every route that changes something or has a body. */
const OF_BODIES: readonly RefusalCode[] = ['BAD_BODY', 'CROSS_ORIGIN', 'TOO_LARGE', 'MEDIA_TYPE', 'DISK_FULL'];
/** Refusals of routes about one thing, by what stands before its name in their addresses. */
const OF_ONE: Readonly<Record<string, RefusalCode>> = {
  imports: 'UNKNOWN_IMPORT',
  syncs: 'UNKNOWN_SYNC',
  exports: 'UNKNOWN_EXPORT',
  schedules: 'UNKNOWN_SCHEDULE',
};

/** The part of a route's responses that refuses: by status, with the codes that it may have. */
export function refusalsOf({ method, path, query, body, refusals = [] }: Operation): Record<number, Refusal> {
  const [, things = ''] = /^\/v1\/(\w+)\/:/.exec(path) ?? [];
  const hasPages = query instanceof z.ZodObject && 'cursor' in query.shape;
  const codes: (RefusalCode | undefined)[] = [
    (query ?? body) && 'BAD_OPTION',
    hasPages ? 'BAD_CURSOR' : undefined,
    OF_ONE[things],
    ...refusals,
    ...(method === 'GET' ? [] : OF_BODIES),
    ...ALWAYS,
  ];
  const named = new Set(codes.filter((code) => code !== undefined));
  const byStatus = Map.groupBy(named, (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      { description: own.join(', '), content: { [PROBLEM_TYPE]: { schema: problem } } },
    ]),
  );
}

/** A route whose body is a file says of what kind. */
const describeWhole: typeof describeRoute = (given) => {
  const { url, schema } = describeRoute(given);
  if (given.route.config?.takesFile !== true) return { url, schema };
  return { url, schema: { ...schema, consumes: FILE_TYPES, body: { type: 'string', format: 'binary' } } };
};

/**
 * The name of an operation for generated clients, unless it declares another one: `getImportRow` of
 * `GET /v1/imports/{id}/rows/{row}`, `createImport` of `POST /v1/imports`, `pauseImport` of `POST /v1/imports/{id}/pause`.
 */
function operationIdOf(method: string, path: string) {
  // A thing that is named is one, and only a name behind another says what is asked for.
  const named = path.replace(/s?\/\{\w+\}(?:\/\{(\w+)\})?/g, (_, next?: string) =>
    next === undefined ? '' : `/${next}`,
  );
  const words = named.split('/').filter((word) => word !== '' && word !== 'v1');
  let verb = VERBS[method];
  if (method === 'post') {
    const last = words.pop() ?? '';
    if (words.length > 0 || !last.endsWith('s')) verb = last;
    else words.push(last.slice(0, -1));
  }
  return [verb, ...words.map(capitalised)].join('');
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  post: 'create',
  put: 'put',
  patch: 'change',
  delete: 'delete',
};

interface Described {
  operationId?: string;
  readonly parameters?: readonly { readonly name: string }[];
  requestBody?: Json;
  responses: Record<string, { content?: Json; headers?: Json; description?: string }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Json };
  webhooks?: Json;
}

const NOT_CHANGED = { description: 'The answer that `If-None-Match` names is still right.' };
const ETAG = { schema: { type: 'string' }, description: 'Version of the answer, for `If-None-Match`.' };

/** Adds what follows from the method and the address of each operation, and the notifications. */
function completed(document: Document): Document {
  // The copies of shared schemas that the library makes for requests.
  for (const name of Object.keys(document.components.schemas)) {
    if (name.endsWith('Input')) delete document.components.schemas[name];
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operation.operationId ??= operationIdOf(method, path);
      // A source that the server reads takes the place of the body.
      if (operation.parameters?.some(({ name }) => name === 'source'))
        operation.requestBody = { ...operation.requestBody, required: false };
      const { 200: answer } = operation.responses;
      if (method !== 'get' || !path.startsWith('/v1/') || answer?.content?.['application/json'] === undefined) continue;
      answer.headers = { ETag: ETAG };
      operation.responses['304'] = NOT_CHANGED;
    }
  }
  return { ...document, webhooks: webhooks() };
}

/** Describes the notifications that a receiver gets (docs/webhook.md). */
function webhooks(): Json {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string' },
    description,
  });
  const parameters = [
    header('webhook-id', 'Id of the notification, the same in every attempt.'),
    header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
    { ...header('webhook-signature', 'Signature as Standard Webhooks describes it.'), required: false },
  ];
  const { $schema: _, ...region } = z.toJSONSchema(regionNote);
  const data = { import: { $ref: '#/components/schemas/Import' }, sync: { $ref: '#/components/schemas/Sync' }, region };
  const one = (type: string, summary: string) => {
    const [kind, state = ''] = type.split('.') as [keyof typeof data, string];
    const schema = {
      type: 'object',
      properties: { type: { const: type }, timestamp: { type: 'string', format: 'date-time' }, data: data[kind] },
      required: ['type', 'timestamp', 'data'],
    };
    const operationId = `${kind}${capitalised(state)}`;
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const responses = { '2XX': { description: 'It has arrived.' }, '4XX': { description: 'It is sent again later.' } };
    return {
      post: { operationId, tags: ['notifications'], summary, security: [], parameters, requestBody, responses },
    };
  };
  return Object.fromEntries(Object.entries(NOTIFICATIONS).map(([type, summary]) => [type, one(type, summary)]));
}

const describeShared = createJsonSchemaTransformObject(CONFIG);

/** Collects what routes say of themselves. To be called before they are added. */
export async function describeRoutes(app: Api) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'rollcall',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: LICENCE, identifier: LICENCE },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: describeWhole,
    transformObject: (document) => {
      // In a request a shared schema is the same as in an answer.
      const text = JSON.stringify(describeShared(document)).replaceAll(/(\/schemas\/\w+)Input"/g, '$1"');
      return completed(JSON.parse(text) as Document) as unknown as ReturnType<typeof describeShared>;
    },
  });
}
