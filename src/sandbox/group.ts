import type { MemberScope } from '../chat/service/lists.ts';

/**
 * The place of a user in a group; a ban keeps the scope held before. Never changed, so that all members
 * added by one call can share one record: a million memberships need a map entry each and little more.
 */
export interface MemberPlace {
  readonly scope: MemberScope;
  readonly banned: boolean;
  /** Milliseconds since 1970. */
  readonly joinedAt: number;
  /** Milliseconds since 1970; of the banned. */
  readonly bannedAt?: number;
}

interface GroupProfile {
  readonly guid: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly icon: string;
  readonly tags: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** UID; the system user where no owner was named. */
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A reason against a change. */
export type Obstacle =
  | 'ERR_ALREADY_JOINED'
  | 'ERR_BANNED_GROUPMEMBER'
  | 'ERR_NO_VACANCY'
  | 'ERR_ALREADY_BANNED'
  | 'ERR_NOT_A_MEMBER'
  | 'ERR_SAME_SCOPE'
  | 'ERR_NOT_A_BANNED_USER';

/** A group and every user who is in it or banned from it. UIDs come in lower case and belong to existing users. */
export class Group {
  profile: GroupProfile;
  /** All users with a place, the banned included, in the order of joining. */
  readonly places = new Map<string, MemberPlace>();
  /** Members without the banned. */
  membersCount = 0;
  /** Milliseconds since 1970; undefined until the group changes. */
  updatedAt: number | undefined;

  constructor(profile: GroupProfile) {
    this.profile = profile;
  }

  change(profile: Partial<Omit<GroupProfile, 'guid'>>, at: number): void {
    this.profile = { ...this.profile, ...profile };
    this.updatedAt = at;
  }

  /** The scope of a member; undefined for a user who is banned or was never added. */
  memberScope(uid: string): MemberScope | undefined {
    const place = this.places.get(uid);
    return place?.banned ? undefined : place?.scope;
  }

  /** Adds a user, or says what prevents it and changes nothing. A ban is lifted where `liftBan` says so. */
  add(uid: string, place: MemberPlace, rules: { maxMembers: number; liftBan: boolean }): Obstacle | undefined {
    const before = this.places.get(uid);
    if (before?.banned === false) return 'ERR_ALREADY_JOINED';
    if (before?.banned && !rules.liftBan) return 'ERR_BANNED_GROUPMEMBER';
    if (this.membersCount >= rules.maxMembers) return 'ERR_NO_VACANCY';
    // A lifted ban is a new entry: deleting first moves it to the end of the order of joining.
    if (before !== undefined) this.places.delete(uid);
    this.places.set(uid, place);
    this.membersCount += 1;
    this.updatedAt = place.joinedAt;
    return undefined;
  }

  /** Bans a user, who need not be a member, and ends a membership; or says what prevents it. */
  ban(uid: string, at: number): Obstacle | undefined {
    const before = this.places.get(uid);
    if (before?.banned) return 'ERR_ALREADY_BANNED';
    if (before !== undefined) this.membersCount -= 1;
    this.places.set(uid, {
      scope: before?.scope ?? 'participant',
      banned: true,
      joinedAt: before?.joinedAt ?? at,
      bannedAt: at,
    });
    this.updatedAt = at;
    return undefined;
  }

  /** Lifts a ban, which does not make the user a member again; or says what prevents it. */
  unban(uid: string, at: number): Obstacle | undefined {
    if (!this.places.get(uid)?.banned) return 'ERR_NOT_A_BANNED_USER';
    this.places.delete(uid);
    this.updatedAt = at;
    return undefined;
  }

  /** Ends a membership, or says what prevents it. */
  remove(uid: string, at: number): Obstacle | undefined {
    const before = this.places.get(uid);
    if (before === undefined) return 'ERR_NOT_A_MEMBER';
    if (before.banned) return 'ERR_BANNED_GROUPMEMBER';
    this.places.delete(uid);
    this.membersCount -= 1;
    this.updatedAt = at;
    return undefined;
  }

  /** Drops the place of a user who is deleted. */
  forget(uid: string): void {
    if (this.places.get(uid)?.banned === false) this.membersCount -= 1;
    this.places.delete(uid);
  }

  /** Changes a member's scope, or says what prevents it. */
  changeScope(uid: string, scope: MemberScope, at: number): Obstacle | undefined {
    const before = this.places.get(uid);
    if (before === undefined) return 'ERR_NOT_A_MEMBER';
    if (before.banned) return 'ERR_BANNED_GROUPMEMBER';
    if (before.scope === scope) return 'ERR_SAME_SCOPE';
    this.places.set(uid, { ...before, scope });
    this.updatedAt = at;
    return undefined;
  }
}
