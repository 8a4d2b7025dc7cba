import { z } from 'zod';
import { KEY_SCOPES } from '../chat/contract.ts';
import { badRequest, type Call, readBody, refusal, seconds } from './call.ts';
import { pageOf } from './query.ts';
import type { ApiKey } from './sandbox-app.ts';
import { newKey } from './tenant.ts';

/** Operations on the API keys of an app (docs/chat-service.md, 71). */

const MAX_KEYS = 25;
const name = z.string().min(1).max(100);
const scope = z.enum(KEY_SCOPES);
const createKeyRequest = z.looseObject({ name, scope: scope.default('authOnly') });
const updateKeyRequest = z.looseObject({ name: name.optional(), scope: scope.optional() });

/** GET /apikeys: by page. */
export function listKeys(call: Call): object {
  return pageOf(call, [...call.app.keys.values()], keyEntity);
}

/** GET /apikeys/{apiKey}. */
export function getKey(call: Call): object {
  return { data: keyEntity(requireKey(call)) };
}

/** POST /apikeys: the new key is valid at once. */
export function createKey(call: Call): object {
  const given = readBody(call, createKeyRequest);
  if (call.app.keys.size >= MAX_KEYS) throw badRequest({ apiKey: [`An app has at most ${MAX_KEYS} API keys.`] });
  return keep(call, { apiKey: newKey(), name: given.name, scope: given.scope, createdAt: call.now });
}

/** PUT /apikeys/{apiKey}: changes its name or scope. */
export function updateKey(call: Call): object {
  const key = requireKey(call);
  const given = readBody(call, updateKeyRequest);
  return keep(call, { ...key, name: given.name ?? key.name, scope: given.scope ?? key.scope });
}

/** DELETE /apikeys/{apiKey}: the key is refused from the next call on. */
export function deleteKey(call: Call): object {
  const { apiKey, name } = requireKey(call);
  call.app.keys.delete(apiKey);
  return { data: { success: true, message: `The API key ${name} has been deleted.` } };
}

function keep({ app }: Call, key: ApiKey): object {
  app.keys.set(key.apiKey, key);
  return { data: keyEntity(key) };
}

function requireKey({ app, params: [wanted = ''] }: Call): ApiKey {
  const key = app.keys.get(wanted);
  if (key === undefined) throw refusal(404, 'ERR_APIKEY_NOT_FOUND', 'This API key does not exist.');
  return key;
}

function keyEntity({ createdAt, ...key }: ApiKey): object {
  return { ...key, createdAt: seconds(createdAt) };
}
