import { z } from 'zod';
import type { KeyScope } from '../chat/contract.ts';
import { MAX_ID_LENGTH } from '../chat/service/limits.ts';
import type { MemberScope } from '../chat/service/lists.ts';
import type { Region, Scope } from '../membership/membership.ts';
import type { Behaviour } from './behaviour.ts';

const METADATA_BYTES = 5 * 1024;

export const userProfile = z.object({
  name: z.string().min(1).max(100),
  avatar: z.url().max(3000).optional(),
  link: z.url().max(3000).optional(),
  role: z.string().min(1).toLowerCase().optional(),
  statusMessage: z.string().optional(),
  tags: z.array(z.string().max(100)).max(25).optional(),
  metadata: z
    .record(z.string(), z.unknown())
    .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= METADATA_BYTES, { error: 'metadata has 5 KB at most' })
    .optional(),
});

/** Times here are in milliseconds since 1970. */
export interface User extends Readonly<z.output<typeof userProfile>> {
  readonly uid: string;
  readonly role: string;
  readonly createdAt: number;
  /** Undefined until the user changes. */
  readonly updatedAt?: number;
  /** Undefined while the user is active. */
  readonly deactivatedAt?: number | undefined;
}

/** The user who acts where a call names no user, and owns groups without another owner. */
export const SYSTEM_USER: User = { uid: 'app_system', name: 'System', role: 'default', createdAt: 0 };

/**
 * The place of a user in a group; a ban keeps the scope held before. Never changed, so that all members
 * added by one call can share one record: a million memberships need a map entry each and little more.
 */
export interface MemberPlace {
  readonly scope: MemberScope;
  readonly banned: boolean;
  readonly joinedAt: number;
  /** Absent unless the user is banned. */
  readonly bannedAt?: number;
}

export interface GroupProfile {
  readonly guid: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly icon: string;
  readonly tags: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** UID. */
  readonly owner: string;
  readonly createdAt: number;
}

type AdditionRules = Pick<Behaviour, 'addingBanned' | 'maxGroupMembers'>;

/** A group and every user who is in it or banned from it. UIDs come in lower case and belong to existing users. */
export class Group {
  profile: GroupProfile;
  /** All users with a place, the banned included, in the order of joining. */
  readonly places = new Map<string, MemberPlace>();
  /** Members without the banned. */
  membersCount = 0;
  /** Undefined until the group changes. */
  updatedAt: number | undefined;

  constructor(profile: GroupProfile) {
    this.profile = profile;
  }

  change(profile: Given<GroupProfile>, at: number) {
    this.profile = { ...this.profile, ...given(profile) };
    this.updatedAt = at;
  }

  /** The scope of a member; undefined for a user who is banned or was never added. */
  memberScope(uid: string) {
    const place = this.places.get(uid);
    return place?.banned ? undefined : place?.scope;
  }

  /** Adds a user, or says what prevents it and changes nothing. Without rules any number can be added, and no one who is banned. */
  add(
    uid: string,
    place: MemberPlace,
    { addingBanned = 'refuse', maxGroupMembers = Number.POSITIVE_INFINITY }: Partial<AdditionRules> = {},
  ) {
    const before = this.places.get(uid);
    if (before?.banned === false) return 'ERR_ALREADY_JOINED';
    if (before?.banned && addingBanned === 'refuse') return 'ERR_BANNED_GROUPMEMBER';
    if (this.membersCount >= maxGroupMembers) return 'ERR_NO_VACANCY';
    // A lifted ban is a new entry: deleting first moves it to the end of the order of joining.
    this.places.delete(uid);
    return this.#put(uid, place, place.joinedAt);
  }

  /** Bans a user, who need not be a member, and ends a membership; or says what prevents it. */
  ban(uid: string, at: number) {
    const { scope = 'participant', joinedAt = at, banned } = this.places.get(uid) ?? {};
    if (banned) return 'ERR_ALREADY_BANNED';
    return this.#put(uid, { scope, banned: true, joinedAt, bannedAt: at }, at);
  }

  /** Lifts a ban, which does not make the user a member again; or says what prevents it. */
  unban(uid: string, at: number) {
    return this.places.get(uid)?.banned ? this.#put(uid, undefined, at) : 'ERR_NOT_A_BANNED_USER';
  }

  remove(uid: string, at: number) {
    return this.#noMember(uid) ?? this.#put(uid, undefined, at);
  }

  /** Drops the place of a user who is deleted. */
  forget(uid: string) {
    this.#put(uid, undefined, this.updatedAt);
  }

  changeScope(uid: string, scope: MemberScope, at: number) {
    const before = this.places.get(uid);
    if (before?.banned === false && before.scope === scope) return 'ERR_SAME_SCOPE';
    return this.#noMember(uid) ?? this.#put(uid, { joinedAt: at, banned: false, ...before, scope }, at);
  }

  #noMember(uid: string) {
    if (this.memberScope(uid) !== undefined) return undefined;
    return this.places.has(uid) ? 'ERR_BANNED_GROUPMEMBER' : 'ERR_NOT_A_MEMBER';
  }

  #put(uid: string, place: MemberPlace | undefined, at: number | undefined) {
    this.membersCount += Number(place?.banned === false) - Number(this.memberScope(uid) !== undefined);
    if (place === undefined) this.places.delete(uid);
    else this.places.set(uid, place);
    this.updatedAt = at;
  }
}

/** Fields of a user or group to set; an undefined one is left as it is. */
type Given<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

function given<Fields extends object>(fields: Given<Fields>): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

// Public documentation, not contract: letters, digits, "-" and "_".
const POSSIBLE_ID = new RegExp(`^[a-z0-9_-]{1,${MAX_ID_LENGTH}}$`);

/** The form in which the service stores and compares a UID or GUID; undefined for an invalid one. */
export function storedId(id: string) {
  const folded = id.toLowerCase();
  return POSSIBLE_ID.test(folded) ? folded : undefined;
}

/** Users or groups by their ids. @param knowsAny every possible one exists, from the first time that it is asked for */
function directory<Item, Profile>(
  knowsAny: boolean,
  foldsIds: boolean,
  make: (id: string, profile: Partial<Profile>) => Item,
) {
  const all = new Map<string, Item>();
  /** The id that a call means by this one. */
  const named = (id: string) => (foldsIds ? id.toLowerCase() : id);
  /** Makes it unless it is there; undefined when none can have that id. */
  const add = (id: string, profile: Given<Profile> = {}) => {
    const stored = storedId(id);
    if (stored === undefined) return undefined;
    const known = all.get(stored);
    if (known !== undefined) return known;
    const made = make(stored, given(profile));
    all.set(stored, made);
    return made;
  };
  /** One that was made already. */
  const get = (id: string) => all.get(named(id));
  return {
    all,
    add,
    get,
    /** One that a call may name. */
    find: (id: string) => get(id) ?? (knowsAny && named(id) === id.toLowerCase() ? add(id) : undefined),
  };
}

export interface ApiKey {
  readonly apiKey: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly createdAt: number;
}

export type App = ReturnType<typeof createApp>;

/**
 * Users, groups and messages of one app in one region.
 * @param createdAt of the app and its first contents, in ms since 1970  @param known `any`: every possible UID or GUID is known
 */
export function createApp(
  region: Region,
  appId: string,
  createdAt: number,
  { capitalIds }: Behaviour,
  known: { readonly users: unknown; readonly groups: unknown },
) {
  const foldsIds = capitalIds === 'fold';
  const users = directory<User, User>(known.users === 'any', foldsIds, (uid, profile) => ({
    name: uid,
    role: 'default',
    createdAt,
    ...profile,
    uid,
  }));
  const groups = directory<Group, GroupProfile>(
    known.groups === 'any',
    foldsIds,
    (guid, profile) =>
      new Group({
        name: guid,
        type: 'public',
        description: '',
        icon: 'https://assets.localhost/group.png',
        tags: [],
        owner: SYSTEM_USER.uid,
        createdAt,
        ...profile,
        guid,
      }),
  );
  let lastMessageId = 0;
  return {
    region,
    appId,
    createdAt,
    /** API keys by themselves. */
    keys: new Map<string, ApiKey>(),
    roles: new Set(['default']),
    users,
    groups,
    /** Deactivates or reactivates a user; false where there is no such user, or nothing to change. */
    setActive: (uid: string, active: boolean, at: number) => {
      const user = users.get(uid);
      if (user === undefined || (user.deactivatedAt === undefined) === active) return false;
      users.all.set(user.uid, { ...user, deactivatedAt: active ? undefined : at });
      return true;
    },
    /** @param unset fields that it loses */
    changeUser: (user: User, profile: Given<User>, unset: readonly (keyof User)[]) => {
      const lost = Object.fromEntries(unset.map((field) => [field, undefined]));
      users.all.set(user.uid, { ...user, ...given(profile), ...lost });
    },
    deleteUser: (uid: string) => {
      users.all.delete(uid);
      for (const group of groups.all.values()) group.forget(uid);
    },
    /** All users in a group, the banned with `ban`; empty for a group that has not been made. */
    members: (guid: string) => {
      const places = groups.all.get(guid.toLowerCase())?.places ?? [];
      return new Map([...places].map(([uid, place]): [string, Scope] => [uid, place.banned ? 'ban' : place.scope]));
    },
    nextMessageId: () => {
      lastMessageId += 1;
      return String(lastMessageId);
    },
  };
}
