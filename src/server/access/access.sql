-- Statements on access.sqlite, by name.

-- name: add_token
insert into tokens (id, role, name, hash, created_at, expires_at) values (:id, :role, :name, :hash, :at, :expires);

-- name: tokens
select id, role, name, created_at as createdAt, expires_at as expiresAt, revoked_at as revokedAt
  from tokens order by created_at, id;

-- name: valid_token
-- In: id, at (ms). Out: the token, unless it is expired or revoked.
select id, role, name, hash, expires_at as expiresAt from tokens
 where id = :id and revoked_at is null and (expires_at is null or expires_at > :at);

-- name: revoke_token
update tokens set revoked_at = :at where id = :id and revoked_at is null;

-- name: add_session
insert into sessions (hash, token_id, expires_at) values (:hash, :token, :expires);

-- name: valid_session
-- In: hash, at (ms). Out: the session's token, while both are valid.
select t.id, t.role, t.name, s.expires_at as expiresAt from sessions s join tokens t on t.id = s.token_id
 where s.hash = :hash and s.expires_at > :at and t.revoked_at is null and (t.expires_at is null or t.expires_at > :at);

-- name: end_session
delete from sessions where hash = :hash;

-- name: end_old_sessions
delete from sessions where expires_at <= :at;

-- name: note
insert into audit (at, who, role, action, target, detail, address)
  values (:at, :who, :role, :action, :target, :detail, :address);

-- name: audit_page
-- In: before (id), limit. Out: newest first.
select id, at, who, role, action, target, detail, address from audit where id < :before order by id desc limit :limit;

-- name: find_upload
select options, body, import_id as importId from idempotency where who = :who and key = :key and at > :since;

-- name: keep_upload
insert or replace into idempotency (who, key, options, body, import_id, at)
  values (:who, :key, :options, :body, :import, :at);

-- name: forget_uploads
delete from idempotency where at <= :since;
