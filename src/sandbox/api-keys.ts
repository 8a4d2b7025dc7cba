import { z } from 'zod';
import { KEY_SCOPES } from '../chat/contract.ts';
import { badRequest, type Call, type Operations, readBody, refusal, seconds } from './call.ts';
import { pageOf } from './query.ts';
import type { ApiKey } from './sandbox-app.ts';
import { newKey } from './tenant.ts';

const MAX_KEYS = 25;
const createKeyRequest = z.object({
  name: z.string().min(1).max(100),
  scope: z.enum(KEY_SCOPES).default('authOnly'),
});
const updateKeyRequest = z.object({
  name: createKeyRequest.shape.name.exactOptional(),
  scope: z.enum(KEY_SCOPES).exactOptional(),
});

/** Operations on the API keys of an app (docs/chat-service.md, 71). */
export const keyOperations: Operations = {
  'GET apikeys': (call) => pageOf(call, [...call.app.keys.values()], keyEntity),
  'GET apikeys/{apiKey}': (call) => keyEntity(requireKey(call)),
  /** The new key is valid at once. */
  'POST apikeys': (call) => {
    const given = readBody(call, createKeyRequest);
    if (call.app.keys.size >= MAX_KEYS) throw badRequest(`An app has at most ${MAX_KEYS} API keys.`, 'apiKey');
    return keep(call, { apiKey: newKey(), ...given, createdAt: call.now });
  },
  'PUT apikeys/{apiKey}': (call) => keep(call, { ...requireKey(call), ...readBody(call, updateKeyRequest) }),
  /** The key is refused from the next call on. */
  'DELETE apikeys/{apiKey}': (call) => {
    const { apiKey, name } = requireKey(call);
    call.app.keys.delete(apiKey);
    return { success: true, message: `The API key ${name} has been deleted.` };
  },
};

function keep({ app }: Call, key: ApiKey) {
  app.keys.set(key.apiKey, key);
  return keyEntity(key);
}

function requireKey({ app, params }: Call) {
  const key = app.keys.get(params['apiKey'] ?? '');
  if (key === undefined) throw refusal(404, 'ERR_APIKEY_NOT_FOUND', 'This API key does not exist.');
  return key;
}

function keyEntity({ createdAt, ...key }: ApiKey) {
  return { ...key, createdAt: seconds(createdAt) };
}
