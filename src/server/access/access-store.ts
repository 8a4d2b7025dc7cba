import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../api/operation.ts';
import type { AuditPage, AuditQuery, TokenView } from '../../api/service.ts';
import type { KeptReceiver } from '../../features/notify/operations.ts';
import { openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { isoTime } from '../../text/wording.ts';

/** The sender of a request. */
export interface Who {
  /** Id of the token; empty for everyone on a server that asks for none. */
  readonly id: string;
  /** Name of the token, or "local". */
  readonly name: string;
  readonly role: Role;
  /** Ms since 1970; null: never. */
  readonly expiresAt: number | null;
}

/** Everyone, where no token is needed. */
export const LOCAL: Who = { id: '', name: 'local', role: 'admin', expiresAt: null };

/** A sender without a token, where one is needed. */
export const UNKNOWN_SENDER: Who = { id: '', name: 'nobody', role: 'viewer', expiresAt: null };

export interface TokenRecord extends Who {
  /** Ms since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** Written at most once a minute. */
  readonly lastUsedAt: number | null;
}

/** Whether a token is accepted now. */
export function isValid({ expiresAt, revokedAt }: Pick<TokenRecord, 'expiresAt' | 'revokedAt'>) {
  return revokedAt === null && (expiresAt === null || expiresAt > Date.now());
}

export interface AuditEntry extends Omit<AuditPage['entries'][number], 'at'> {
  readonly id: number;
  /** Ms since 1970. */
  readonly at: number;
}

export interface AuditFilter extends Omit<AuditQuery, 'cursor'> {
  /** The id of the last one seen. */
  readonly before?: number | undefined;
}

/** An upload that was answered under an Idempotency-Key. */
export interface KeptUpload {
  /** SHA-256 of its options and of its file, in hex. */
  readonly options: string;
  readonly body: string;
  readonly importId: string;
}

/** Sessions of one token at a time: browsers of one person, and of scripts that log in anew each time. */
const MAX_SESSIONS = 50;

const SCHEMA = new URL('access-schema.sql', import.meta.url);
const STATEMENTS = new URL('access.sql', import.meta.url);

/** Keys are remembered this long, in ms. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1000;
/** The use of a token is written down at most this often, in ms. */
const USE_MS = 60_000;
const SECRET_BYTES = 32;
/** Characters of an audit entry's detail, at most. */
const MAX_DETAIL_LENGTH = 1_000;
const TOKEN = /^rct_([a-z0-9]{8})_([A-Za-z0-9_-]{43})$/;

/** The part of a text that names a token and is not secret; empty when the text is not a token. */
export function tokenIdIn(text: string) {
  return TOKEN.exec(text)?.[1] ?? '';
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

export type AccessStore = ReturnType<typeof openAccessStore>;

/** Tokens, sessions, audit log, idempotency keys and who is notified: `<data>/access.sqlite`, which server and CLI write side by side. */
export function openAccessStore(path: string) {
  const database = openForWriting(path, SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const tokens = () => sql<TokenRecord>('tokens').all();
  type Used = Who & Pick<TokenRecord, 'lastUsedAt'>;
  /** A token that is not revoked, from its text. */
  const find = (text: string) => {
    const [, id, secret] = TOKEN.exec(text) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const found = sql<Used & { hash: Uint8Array }>('token_of_id').get({ id });
    return found !== undefined && timingSafeEqual(found.hash, sha256(secret)) ? found : undefined;
  };
  const isOver = ({ expiresAt }: Who) => !isValid({ expiresAt, revokedAt: null });
  /** Notes the use of a token or session, and returns its owner. */
  const used = ({ id, name, role, expiresAt, lastUsedAt }: Used): Who => {
    const at = Date.now();
    try {
      if (lastUsedAt === null || at - lastUsedAt >= USE_MS) sql('note_use').run({ id, at });
    } catch {
      // A full disk, say: who may come in still comes in.
    }
    return { id, name, role, expiresAt };
  };
  const close = () => database[Symbol.dispose]();
  return {
    tokens,
    /** Makes a token; its text is given here and never again. */
    createToken: ({ role, name, expiresAt }: Pick<TokenRecord, 'role' | 'name' | 'expiresAt'>) => {
      const id = Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      sql('add_token').run({ id, role, name: name || id, hash: sha256(secret), at: Date.now(), expires: expiresAt });
      return { id, text: `rct_${id}_${secret}` };
    },
    hasValidToken: () => tokens().some(isValid),
    /** False when there is no such token, or it was revoked before. */
    revoke: (id: string) => sql('revoke_token').run({ id, at: Date.now() }).changes === 1,
    /** Returns the owner of a token; undefined when it is unknown, expired or revoked. Notes its use. */
    byToken: (text: string) => {
      const found = find(text);
      return found === undefined || isOver(found) ? undefined : used(found);
    },
    /** Whether this token was right until it expired. */
    hasExpired: (text: string) => {
      const found = find(text);
      return found !== undefined && isOver(found);
    },
    /** Starts a session for a token's owner, and ends the oldest where there are too many; returns the cookie. */
    login: ({ id }: Who, expiresAt: number) => {
      const cookie = randomBytes(SECRET_BYTES).toString('base64url');
      sql('end_old_sessions').run({ at: Date.now() });
      sql('add_session').run({ hash: sha256(cookie), token: id, expires: expiresAt });
      sql('end_oldest_sessions').run({ token: id, kept: MAX_SESSIONS });
      return cookie;
    },
    bySession: (cookie: string) => {
      const found = sql<Used>('valid_session').get({ hash: sha256(cookie), at: Date.now() });
      return found === undefined ? undefined : used(found);
    },
    logout: (cookie: string) => void sql('end_session').run({ hash: sha256(cookie) }),
    note: ({ detail, ...entry }: Omit<AuditEntry, 'id' | 'at'>): void =>
      void sql('note').run({ ...entry, detail: detail.slice(0, MAX_DETAIL_LENGTH), at: Date.now() }),
    /** Newest first. */
    audit: ({ limit, before, from, to, ...filter }: AuditFilter) =>
      sql<AuditEntry>('audit_page').all({
        limit,
        before: before ?? Number.MAX_SAFE_INTEGER,
        since: from ?? 0,
        until: to ?? Number.MAX_SAFE_INTEGER,
        // Empty: anything.
        who: filter.who || null,
        action: filter.action || null,
        search: filter.search || null,
      }),
    findUpload: (who: string, key: string) =>
      sql<KeptUpload>('find_upload').get({ who, key, since: Date.now() - KEY_LIFE_MS }),
    keepUpload: (who: string, key: string, { options, body, importId }: KeptUpload) => {
      sql('forget_uploads').run({ since: Date.now() - KEY_LIFE_MS });
      sql('keep_upload').run({ who, key, options, body, import: importId, at: Date.now() });
    },
    receiver: () => sql<KeptReceiver>('kept_receiver').get(),
    keepReceiver: (receiver: KeptReceiver) => void sql('keep_receiver').run({ ...receiver }),
    forgetReceiver: () => void sql('forget_receiver').run(),
    close,
    [Symbol.dispose]: close,
  };
}

export function tokenView({ createdAt, expiresAt, lastUsedAt, revokedAt: _, ...token }: TokenRecord) {
  return {
    ...token,
    name: token.name || token.id,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    lastUsedAt: isoTime(lastUsedAt),
  } satisfies Omit<TokenView, 'own'>;
}
