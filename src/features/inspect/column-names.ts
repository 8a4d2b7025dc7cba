import { mentions, wordsOf } from '../../imports/read/column-words.ts';
import { isOneOf } from './meanings.ts';

/** Meaning of the names of columns. A name is evidence only together with the values below it. */

const PEOPLE =
  'user|member|person|people|employee|staff|student|teacher|contact|customer|learner|player|participant|worker|pupil|volunteer|attendee|badge|mitglied|mitglieds|teilnehmer|mitarbeiter|personal|schüler|miembro|alumno|membre|membro|socio';
const isAccount = mentions(
  'uid, userid, user id, usergid, user gid, username, user name, login, account name, handle, screen name, nick, user sourced id, benutzer, benutzername, benutzerkennung, usuario, utilisateur, utente, identifiant, kennung',
);
/** The number of a person in a list of people. */
const NUMBER = new RegExp(
  `\\b(?:${PEOPLE})s? ?(?:id|no|nr|num|number|key|code|identifier|sourced id|nummer)\\b|^id (?:${PEOPLE})$|\\bmatrikel(?:nummer|nr)?\\b`,
);
const BARE = new RegExp(`^(?:${PEOPLE})s?(?: list)?$`);
const isAddress = mentions('email, e mail, mail, principal, upn');
const MAIN_EMAIL = /^(?:(?:work|primary|user|member|student) )?e ?mail(?: address)?$|principal/;
/** Somebody else than the member, or something else than who it is. */
const isNoUser = mentions(
  'manager, supervisor, owner, leader, created, creator, added, invited, inviter, updated, modified, approv…, parent, guardian, emergency, buyer, billing, purchaser, organizer, organiser, sponsor, secondary, alternate, recovery, personal email, personal e mail, private, home, status, state, type, kind, date, since, count, total, order, ticket, barcode, message, last, price, role, attendee no, attendee nr, attendee num, attendee number, attendee id',
);

/** Rates a column's name as the key of the member: 4 an account, 3 a number of a person, 2 an address; 0 not. */
export function userRank(name: string, isEmail: boolean): number {
  const words = wordsOf(name);
  if (isNoUser(words)) return 0;
  if (isEmail) return isAddress(words) ? (MAIN_EMAIL.test(words) ? 2.5 : 2) : 1;
  if (isAccount(words)) return 4;
  return NUMBER.test(words) || BARE.test(words) ? 3 : 0;
}

/** A whole word, or a compound such as `Raumkennung` or `groupname`: a `Gruppenleiter` is somebody, a `Raumgröße` no room. */
function groupWord(words: string) {
  const naming = 'kennung|kürzel|schlüssel|nummer|nr|no|number|id|key|code|slug|name|bezeichnung|titel|title';
  const [before, after] = ['(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])'];
  return new RegExp(`${before}(?:sub)?(${words})(?:s|es|e|n|en)?(?:${naming})?s?\\p{N}*${after}`, 'u');
}
const GROUPS: readonly (readonly [RegExp, number])[] = [
  [
    groupWord(
      'guid|member ?of|group|team|channel|room|chat(?:room|group|raum|gruppe)?|conversation|squad|gruppe|r[aä]um|kan[aä]l|grupo|groupe|gruppo|equipo|equipe|squadra|canale',
    ),
    3,
  ],
  [groupWord('course|class(?:room)?|section|cohort|club|kurs|klasse|curso|clase|classe|cours|corso'), 2],
  [groupWord('department|dept|project|abteilung|committee|workspace|communit(?:y|ie)'), 1],
];
const isNoGroup = mentions(
  'description, desc, type, kind, status, state, count, size, created, updated, date, url, link, web, visibility, owner, manager, lead, leader, note, notes, comment, role, position, rank, level, capacity, privacy, category, parent, age, blood, pay, price, tax, object, ticket, year, topic, purpose, number of',
);
const isOfMembers = mentions('member$, members$, user$, users$');
const isGroupId = mentions(
  'guid, id, key, code, path, slug, no, nr, number, handle, …id$, …kennung$, …kürzel$, …schlüssel$, …nummer$, …nr$, …code$',
);
const saysPath = isOneOf('path, slug, full path, full slug');

export interface GroupName {
  /** Columns of one kind of group have the same: `course` of "Course ID" and "Course name". */
  readonly entity: string;
  readonly rank: number;
  readonly isId: boolean;
}

/** Kind of group that a column of this name holds. */
export function groupName(name: string): GroupName | undefined {
  const words = wordsOf(name);
  if (isNoGroup(words) || isOfMembers(words)) return undefined;
  for (const [pattern, rank] of GROUPS) {
    const [, entity] = pattern.exec(words) ?? [];
    if (entity !== undefined) return { entity, rank, isId: isGroupId(words) };
  }
  return undefined;
}

/** Whether the column has the place of the groups that another column names. */
export function isPath(name: string): boolean {
  return saysPath(wordsOf(name));
}

const saysFlag = mentions(
  'is, has, can, accept, accepts, allow…, consent, paid, tax, sms, newsletter, marketing, vip, opt, gdpr, photo, vegan, vegetarian, diet, checked, verified, enabled, active, admin, bot, guest, locked, deleted, suspended, archived, confirmed, attending, exempt, present, absent, waiver, signed, terms',
);

/** Whether a column of marks says something about a person other than a membership. */
export function isFlag(name: string): boolean {
  return saysFlag(wordsOf(name));
}
