import type { KeyScope } from '../chat/contract.ts';
import { MAX_ID_LENGTH } from '../chat/service/limits.ts';
import type { Region, Scope } from '../membership/membership.ts';
import { Group } from './group.ts';

/** UID of the system user, who acts where a call names no user and owns groups without another owner. */
export const SYSTEM_UID = 'app_system';

export interface User {
  readonly uid: string;
  readonly name: string;
  readonly role: string;
  readonly avatar?: string;
  readonly link?: string;
  readonly statusMessage?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; undefined until the user changes. */
  readonly updatedAt?: number;
  /** Milliseconds since 1970; undefined while the user is active. */
  readonly deactivatedAt?: number;
}

export interface ApiKey {
  readonly apiKey: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** One region of the sandbox. */
export interface AppOptions {
  readonly region: Region;
  readonly appId: string;
  /** Every possible UID or GUID is known: it exists from the first time that it is asked for. */
  readonly anyUser: boolean;
  readonly anyGroup: boolean;
  /** Whether ids of calls may have capital letters. */
  readonly foldsIds: boolean;
  /** The time at which the app and its first contents were made, in ms since 1970. */
  readonly createdAt: number;
}

// Public documentation, not contract: letters, digits, "-" and "_".
const POSSIBLE_ID = new RegExp(`^[a-z0-9_-]{1,${MAX_ID_LENGTH}}$`);

/** The form in which the service stores and compares a UID or GUID; undefined for an invalid one. */
export function storedId(id: string): string | undefined {
  const folded = id.toLowerCase();
  return POSSIBLE_ID.test(folded) ? folded : undefined;
}

/** Users, groups and messages of one app in one region, by their UIDs and GUIDs as calls give them. */
export class App {
  readonly region: Region;
  readonly appId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly #options: AppOptions;
  /** API keys by themselves. */
  readonly keys = new Map<string, ApiKey>();
  /** Roles that a new user can have. */
  readonly roles = new Set(['default']);
  readonly users = new Map<string, User>();
  readonly groups = new Map<string, Group>();
  #lastMessageId = 0;

  constructor(options: AppOptions) {
    this.region = options.region;
    this.appId = options.appId;
    this.createdAt = options.createdAt;
    this.#options = options;
  }

  /** The id that a call means by this one. */
  #named(id: string): string {
    return this.#options.foldsIds ? id.toLowerCase() : id;
  }

  #isPossible(id: string): boolean {
    return this.#named(id) === id.toLowerCase();
  }

  /** Whether the group has been made already; with `any`, others are known too. */
  hasGroup(guid: string): boolean {
    return this.groups.has(this.#named(guid));
  }

  /** An active user; a deactivated one counts as unknown. */
  user(uid: string): User | undefined {
    const known = this.anyUser(uid);
    if (known !== undefined) return known.deactivatedAt === undefined ? known : undefined;
    return this.#options.anyUser && this.#isPossible(uid) ? this.addUser(uid) : undefined;
  }

  /** A user who was made, active or not. */
  anyUser(uid: string): User | undefined {
    return this.users.get(uid) ?? this.users.get(this.#named(uid));
  }

  /** Deactivates or reactivates a user; false where there is no such user, or nothing to change. */
  setActive(uid: string, active: boolean, at: number): boolean {
    const user = this.anyUser(uid);
    if (user === undefined || (user.deactivatedAt === undefined) === active) return false;
    const { deactivatedAt: _, ...rest } = user;
    this.users.set(user.uid, active ? rest : { ...rest, deactivatedAt: at });
    return true;
  }

  changeUser(uid: string, profile: Partial<Omit<User, 'uid'>>, unset: readonly (keyof User)[]): void {
    const user = this.anyUser(uid);
    if (user === undefined) return;
    const changed = { ...user, ...profile };
    for (const field of unset) Reflect.deleteProperty(changed, field);
    this.users.set(user.uid, changed);
  }

  deleteUser(uid: string): void {
    this.users.delete(this.#named(uid));
    for (const group of this.groups.values()) group.forget(this.#named(uid));
  }

  deleteGroup(guid: string): void {
    this.groups.delete(this.#named(guid));
  }

  group(guid: string): Group | undefined {
    const known = this.groups.get(guid) ?? this.groups.get(this.#named(guid));
    return known ?? (this.#options.anyGroup && this.#isPossible(guid) ? this.addGroup(guid) : undefined);
  }

  /** Makes a user unless it exists, and returns it; undefined when no user can have that UID. */
  addUser(uid: string, profile: Partial<Omit<User, 'uid'>> = {}): User | undefined {
    const stored = storedId(uid);
    if (stored === undefined) return undefined;
    let user = this.users.get(stored);
    if (user === undefined) {
      user = { uid: stored, name: stored, role: 'default', createdAt: this.createdAt, ...profile };
      this.users.set(stored, user);
    }
    return user;
  }

  /** Makes a public group of the system user unless it exists, and returns it; undefined when no group can have that GUID. */
  addGroup(guid: string, profile: Partial<Omit<Group['profile'], 'guid'>> = {}): Group | undefined {
    const stored = storedId(guid);
    if (stored === undefined) return undefined;
    let group = this.groups.get(stored);
    if (group === undefined) {
      group = new Group({
        guid: stored,
        name: stored,
        type: 'public',
        description: '',
        icon: 'https://assets.localhost/group.png',
        tags: [],
        owner: SYSTEM_UID,
        createdAt: this.createdAt,
        ...profile,
      });
      this.groups.set(stored, group);
    }
    return group;
  }

  /** All users in a group, the banned with `ban`; empty for a group that has not been made. */
  members(guid: string): Map<string, Scope> {
    const places = this.groups.get(guid.toLowerCase())?.places ?? [];
    return new Map([...places].map(([uid, place]) => [uid, place.banned ? 'ban' : place.scope]));
  }

  nextMessageId(): string {
    this.#lastMessageId += 1;
    return String(this.#lastMessageId);
  }
}
