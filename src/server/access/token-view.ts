import type { TokenView } from '../../api/tokens.ts';
import type { TokenRecord } from './access-store.ts';

/** A token as people and programs see it. */
export function tokenView({ createdAt, expiresAt, lastUsedAt, revokedAt: _, ...token }: TokenRecord) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    ...token,
    name: token.name || token.id,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: time(expiresAt),
    lastUsedAt: time(lastUsedAt),
  } satisfies Omit<TokenView, 'own'>;
}
