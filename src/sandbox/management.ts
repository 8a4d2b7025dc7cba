import { HEADERS } from '../chat/contract.ts';
import { seconds } from './entities.ts';
import { Refusal, serviceError } from './refusal.ts';
import type { App } from './sandbox-app.ts';

/** The headers `key` and `secret` of management requests (docs/chat-service.md, 10). */
export interface ManagementKey {
  readonly key: string;
  readonly secret: string;
}

interface ManagementRequest {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string;
}

/** Answers a request to the management address: GET /apps lists the apps. Keys of apps are not shown. */
export function manage(request: ManagementRequest, management: ManagementKey, apps: readonly App[]): object {
  const key = request.header(HEADERS.managementKey);
  const secret = request.header(HEADERS.managementSecret);
  if (key === '' || secret === '') {
    throw new Refusal(401, serviceError('AUTH_ERR_EMPTY_AUTH_HEADER', 'The headers key and secret must be given.'));
  }
  if (key !== management.key || secret !== management.secret) {
    throw new Refusal(401, serviceError('AUTH_ERR_NO_ACCESS', 'The key and secret are not valid together.'));
  }
  if (request.method !== 'GET' || request.path !== '/apps') {
    throw new Refusal(404, serviceError('ERR_API_NOT_FOUND', `There is no ${request.method} ${request.path}.`));
  }
  const data = apps.map(({ appId, region, createdAt }) => ({
    id: appId,
    name: appId,
    region,
    createdAt: seconds(createdAt),
  }));
  const pagination = { total: data.length, count: data.length, per_page: 100, current_page: 1, total_pages: 1 };
  return { data, meta: { pagination } };
}
