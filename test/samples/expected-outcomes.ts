import { parse } from 'csv-parse/sync';

/** The parts of sandbox.json that decide about outcomes. */
interface Sandbox {
  readonly regions: Readonly<Record<string, SandboxRegion>>;
}

interface SandboxRegion {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly members: Readonly<Record<string, Readonly<Partial<Record<string, readonly string[]>>>>>;
}

export interface Expected {
  /** The line number in a spreadsheet. */
  readonly line: number;
  /** Empty where it is not known. */
  readonly region: string;
  readonly outcome: string;
}

const ROLES = ['admin', 'moderator', 'participant', 'ban'];
const ID = /^[A-Za-z0-9_-]{1,100}$/;

interface Asked {
  readonly line: number;
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  /** Place in ROLES, highest first. */
  readonly role: number;
  readonly onBehalfOf: string;
  readonly isValid: boolean;
}

/**
 * Returns the expected outcome of every row of samples/first-import, derived from its two files alone, without any of
 * rollcall's code.
 */
export function expectedOutcomes(members: string, sandboxJson: string): readonly Expected[] {
  const sandbox: Sandbox = JSON.parse(sandboxJson);
  const rows = readRows(members, Object.keys(sandbox.regions));
  const rivals = Map.groupBy(
    rows.filter(({ isValid }) => isValid),
    ({ region, guid, uid }) => `${region}/${guid}/${uid}`.toLowerCase(),
  );
  return rows.map((row) => ({
    line: row.line,
    region: row.region,
    outcome: row.isValid ? outcomeAmong(row, rivals, sandbox) : 'invalid',
  }));
}

/** UIDs that each call carries at least, so that fewer are not possible: one for 25 memberships of a group and actor. */
export function fewestCalls(members: string, sandboxJson: string): number {
  const sandbox: Sandbox = JSON.parse(sandboxJson);
  const outcomes = expectedOutcomes(members, sandboxJson);
  const sent = readRows(members, Object.keys(sandbox.regions)).filter(
    (_, index) => !['invalid', 'duplicate', 'failed BANNED'].includes(outcomes[index]?.outcome ?? ''),
  );
  const callGroups = Map.groupBy(sent, ({ region, guid, onBehalfOf }) => `${region}/${guid}/${onBehalfOf}`);
  return [...callGroups.values()].reduce((calls, callGroup) => calls + Math.ceil(callGroup.length / 25), 0);
}

function readRows(members: string, regions: readonly string[]): readonly Asked[] {
  const table: string[][] = parse(members, { relax_column_count: true });
  return table.slice(1).map((cells, index) => {
    const [region = '', guid = '', uid = '', written = '', onBehalfOf = ''] = cells;
    const role = ROLES.indexOf(written === '' ? 'participant' : written.toLowerCase());
    const isValid = cells.length === 8 && regions.includes(region) && ID.test(guid) && ID.test(uid) && role >= 0;
    return { line: index + 2, region: regions.includes(region) ? region : '', guid, uid, role, onBehalfOf, isValid };
  });
}

function outcomeAmong(row: Asked, rivals: ReadonlyMap<string, readonly Asked[]>, sandbox: Sandbox): string {
  const same = rivals.get(`${row.region}/${row.guid}/${row.uid}`.toLowerCase()) ?? [];
  const bans = same.filter(({ role }) => role === ROLES.indexOf('ban'));
  if (bans.length > 0 && bans.length < same.length) return 'invalid';
  const [kept] = same.toSorted((a, b) => a.role - b.role || a.line - b.line);
  return kept === row ? answerTo(row, sandbox) : 'duplicate';
}

/** Returns the chat's answer to a row, by its earlier contents. */
function answerTo({ region, guid, uid, role, onBehalfOf }: Asked, sandbox: Sandbox): string {
  const { users, groups, members } = sandbox.regions[region] ?? { users: [], groups: [], members: {} };
  const { admins = [], moderators = [], participants = [], usersToBan = [] } = members[guid] ?? {};
  if (!groups.includes(guid)) return 'failed ERR_GUID_NOT_FOUND';
  if (onBehalfOf !== '' && !admins.includes(onBehalfOf)) return 'failed ERR_GROUP_NOT_JOINED';
  if (!users.includes(uid)) return 'failed ERR_UID_NOT_FOUND';
  if (ROLES[role] === 'ban') return 'banned';
  if (usersToBan.includes(uid)) return 'failed BANNED';
  return [...admins, ...moderators, ...participants].includes(uid) ? 'already_member' : 'added';
}
