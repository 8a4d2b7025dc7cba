import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { aRole, ROLES, type Role } from '../../api/operation.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { duration } from '../../platform/allowed-values.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { makeDataDir } from '../../platform/data-dir.ts';
import {
  type AccessStore,
  isValid,
  openAccessStore,
  type TokenRecord,
  tokenView,
} from '../../server/access/access-store.ts';
import { isoTime, printable } from '../../text/wording.ts';
import { atTerminal } from '../client/local-client.ts';
import type { Action } from '../exit-codes.ts';
import { type CommonFlags, valueOfFlag, withDataDir, withJson } from '../flags/flags.ts';
import { type Io, printJson, say } from '../screen/io.ts';

interface CreateFlags extends CommonFlags {
  readonly role: Role;
  readonly name?: string;
  /** In ms. */
  readonly expires?: number;
}

/** `rollcall token`: who may use `rollcall serve`. Changes take effect at once, also while a server runs. */
export function tokenCommand(action: Action) {
  const create = new Command('create')
    .description('create a token and print it; only its hash is stored, so it is shown only once')
    .addOption(
      new Option('--role <role>', 'viewers can look, operators can also act, admins can also decide who else may')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'who it is for, in the audit log (default: its id)')
    .option(
      '--expires <time>',
      'how long it is valid, such as 90d (default: until it is revoked)',
      valueOfFlag(duration),
    );
  withDataDir(withJson(create)).action(action(createToken));
  const list = withDataDir(
    withJson(new Command('list').description('show tokens: id, role, expiry, last use, name')),
  ).action(action(listTokens));
  const revoke = withDataDir(withJson(new Command('revoke').description('revoke a token and end its sessions')))
    .argument('<id>', 'as `token list` shows it')
    .action(action(revokeToken));
  return new Command('token').addCommand(create).addCommand(list).addCommand(revoke);
}

function withAccess<Result>({ dir }: Config, use: (access: AccessStore) => Result) {
  makeDataDir(dir);
  using access = openAccessStore(dir.access);
  return use(access);
}

async function createToken(io: Io, flags: CreateFlags) {
  const { role, name = '', expires } = flags;
  const expiresAt = expires === undefined ? null : Date.now() + expires;
  const { id, text } = withAccess(readConfig(flags), (access) => {
    const made = access.createToken({ role, name, expiresAt });
    access.note({ ...atTerminal(), action: 'token.create', target: made.id, detail: `${role} ${name || made.id}` });
    return made;
  });
  const until = isoTime(expiresAt);
  if (flags.json) printJson(io, { id, role, name: name || id, expiresAt: until, token: text });
  else io.out.write(`${text}\n`);
  say(
    io,
    `Token ${id} for ${aRole(role)}${until === null ? '' : `, valid until ${until}`}. Keep it: it is not shown again.`,
  );
}

async function listTokens(io: Io, flags: CommonFlags) {
  const config = readConfig(flags);
  const tokens = existsSync(config.dir.access) ? withAccess(config, (access) => access.tokens()) : [];
  if (flags.json) {
    const shown = tokens.map((token) => ({ ...tokenView(token), revokedAt: isoTime(token.revokedAt) }));
    printJson(io, shown);
    return;
  }
  if (tokens.length === 0) say(io, 'There are no tokens; create one with rollcall token create --role admin');
  for (const token of tokens) {
    const columns = [token.id, token.role.padEnd(8), stateOf(token).padEnd(29), useOf(token).padEnd(22)];
    io.out.write(`${columns.join('  ')}  ${printable(token.name)}\n`);
  }
}

async function revokeToken(io: Io, id: string, flags: CommonFlags) {
  const revoked = withAccess(readConfig(flags), (access) => {
    const done = access.revoke(id);
    if (done) access.note({ ...atTerminal(), action: 'token.revoke', target: id, detail: '' });
    return done;
  });
  if (!revoked) throw new RollcallError('UNKNOWN_TOKEN', { id });
  if (flags.json) printJson(io, { id, revoked: true });
  say(io, `Token ${id} is revoked.`);
}

function stateOf(token: TokenRecord) {
  if (token.revokedAt !== null) return 'revoked';
  if (token.expiresAt === null) return 'valid';
  return `${isValid(token) ? 'valid until' : 'expired'} ${minute(token.expiresAt)}`;
}

function useOf({ lastUsedAt }: TokenRecord) {
  return lastUsedAt === null ? 'never used' : `used ${minute(lastUsedAt)}`;
}

function minute(ms: number) {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
