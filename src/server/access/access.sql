-- Statements on access.sqlite, by name.

-- name: add_token
-- In: id, role, name, hash, at (ms), expires (ms, null: never). Adds a token.
insert into tokens (id, role, name, hash, created_at, expires_at) values (:id, :role, :name, :hash, :at, :expires);

-- name: tokens
-- Out: all tokens without their hashes, oldest first.
select id, role, name, created_at as createdAt, expires_at as expiresAt, revoked_at as revokedAt,
       last_used_at as lastUsedAt
  from tokens order by created_at, rowid;

-- name: token_of_id
-- In: id. Out: the token, unless it is revoked; it may have expired.
select id, role, name, hash, expires_at as expiresAt, last_used_at as lastUsedAt from tokens
 where id = :id and revoked_at is null;

-- name: note_use
-- In: id, at (ms). Remembers when a token was used.
update tokens set last_used_at = :at where id = :id;

-- name: revoke_token
-- In: id, at (ms). Changes nothing where it is revoked already.
update tokens set revoked_at = :at where id = :id and revoked_at is null;

-- name: add_session
-- In: hash, token (id), expires (ms). Adds a session.
insert into sessions (hash, token_id, expires_at) values (:hash, :token, :expires);

-- name: valid_session
-- In: hash, at (ms). Out: the session's token, while both are valid.
select t.id, t.role, t.name, s.expires_at as expiresAt, t.last_used_at as lastUsedAt from sessions s join tokens t on t.id = s.token_id
 where s.hash = :hash and s.expires_at > :at and t.revoked_at is null and (t.expires_at is null or t.expires_at > :at);

-- name: end_session
-- In: hash. Deletes a session.
delete from sessions where hash = :hash;

-- name: end_old_sessions
-- In: at (ms). Deletes sessions that have expired by then.
delete from sessions where expires_at <= :at;

-- name: end_oldest_sessions
-- In: token (id), kept. Deletes a token's sessions but for the newest.
delete from sessions where token_id = :token
   and rowid not in (select rowid from sessions where token_id = :token order by rowid desc limit :kept);

-- name: note
-- In: at (ms), who, role, action, target, detail, address. Adds an entry to the audit log.
insert into audit (at, who, role, action, target, detail, address)
  values (:at, :who, :role, :action, :target, :detail, :address);

-- name: audit_page
-- In: before (id), limit, and what entries must be like (null: anything): search (a part of any field), who, action (as a
-- whole, or the part before the dot), since and until (ms). Out: newest first.
select id, at, who, role, action, target, detail, address from audit
 where id < :before and at >= :since and at < :until
   and (:who is null or who = :who collate nocase)
   and (:action is null or action = :action or action glob :action || '.*')
   and (:search is null
        or instr(lower(concat_ws(char(10), who, action, target, detail, address)), lower(:search)) > 0)
 order by id desc limit :limit;

-- name: find_upload
-- In: who, key, since (ms). Out: the upload that was answered under this key after that.
select options, body, import_id as importId from idempotency where who = :who and key = :key and at > :since;

-- name: keep_upload
-- In: who, key, options, body (hashes), import (id), at (ms). Remembers an upload in place of an earlier one.
insert or replace into idempotency (who, key, options, body, import_id, at)
  values (:who, :key, :options, :body, :import, :at);

-- name: forget_uploads
-- In: since (ms). Deletes uploads from then or before.
delete from idempotency where at <= :since;

-- name: kept_receiver
-- Out: who is notified, or no row.
select address, secret from receiver;

-- name: keep_receiver
-- In: address, secret (null: none). Remembers who is notified in place of another.
insert or replace into receiver (id, address, secret) values (1, :address, :secret);

-- name: forget_receiver
-- No one is notified.
delete from receiver;
