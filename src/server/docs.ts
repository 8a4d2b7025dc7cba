import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '../platform/package-folder.ts';
import type { Api } from './context.ts';
import { apiPage, errorsPage, PAGE_SCRIPT, PAGE_STYLE, SWAGGER_FILES, SWAGGER_FOLDER } from './docs-page.ts';
import { withBodyRefusals } from './problem-schema.ts';

const DESCRIPTION =
  'Imports memberships into chat groups in bulk, and accounts for every row. Where the server asks for a token, send it in the header `Authorization: Bearer <token>`. A request that is refused gets a problem document (RFC 9457) with a stable code.';

/** Whole numbers without JavaScript's bounds, which are not limits of this API. */
const PLAIN: { override: (context: { jsonSchema: { minimum?: number; maximum?: number } }) => void } = {
  override: ({ jsonSchema }) => {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
};

const describeRoute = createJsonSchemaTransform({ zodToJsonConfig: PLAIN });

/** A route with every refusal that it may answer with. */
const describeWhole: typeof describeRoute = (given) => {
  const { schema, route } = given;
  const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
  const response = schema?.response as Parameters<typeof withBodyRefusals>[0] | undefined;
  if (isRead || response === undefined) return describeRoute(given);
  return describeRoute({ ...given, schema: { ...schema, response: withBodyRefusals(response) } });
};

const describeShared = createJsonSchemaTransformObject({ zodToJsonConfig: PLAIN });

/** Shared schemas are for responses only; the copies that the library makes for requests are left out. */
function withoutInputs(document: ReturnType<typeof describeShared>): ReturnType<typeof describeShared> {
  const schemas = 'components' in document ? document.components?.schemas : undefined;
  for (const name of Object.keys(schemas ?? {})) if (name.endsWith('Input')) delete schemas?.[name];
  return document;
}

/** Collects what routes say of themselves. To be called before they are added. */
export async function describeRoutes(app: Api): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'rollcall', version: VERSION, description: DESCRIPTION },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: describeWhole,
    transformObject: (document) => withoutInputs(describeShared(document)),
  });
}

/** `/openapi.json` for programs, `/docs` and `/docs/errors` for people. */
export function docsRoutes(app: Api): void {
  const options = { config: { role: 'public' } as const, schema: { hide: true } };
  app.get('/openapi.json', options, async () => app.swagger());
  const page = (url: string, type: string, text: () => string) =>
    app.get(url, options, async (_request, reply) => reply.type(`${type}; charset=utf-8`).send(text()));
  page('/docs', 'text/html', apiPage);
  page('/docs/errors', 'text/html', errorsPage);
  page('/docs/page.js', 'text/javascript', () => PAGE_SCRIPT);
  page('/docs/style.css', 'text/css', () => PAGE_STYLE);
  for (const name of SWAGGER_FILES) {
    app.get(`/docs/${name}`, options, (_request, reply) => reply.sendFile(name, SWAGGER_FOLDER));
  }
}
