import { option, type Words, words } from '../../errors/named-options.ts';
import { isRole, mentions, wordsOf } from '../../imports/read/column-words.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import { scopeOfWord } from '../../imports/read/membership-row.ts';
import type { ScopeMeaning } from '../../membership/membership.ts';
import type { LookupName } from '../../options/lookups.ts';
import { OPEN_VALUE } from '../../options/option-texts.ts';
import type { ShapeInput } from '../../options/shape.ts';
import type { RecipeSettings } from '../recipes/recipe.ts';
import { type ColumnFacts, isBoolean } from './column-facts.ts';
import { isNothing, isOneOf, isOut, meaningOf, plain, saysGone, saysHere } from './meanings.ts';

/**
 * Finds the rows of a list of people that are no members (any more, or yet), as far as its columns show it. A column that
 * could say so in words or dates that nobody knows stays open.
 */

type Condition = NonNullable<ShapeInput['where']>[number];

/** An observation about a file, and what it asks for. */
export interface Step {
  /** Absent where the settings say it all. */
  readonly text?: Words;
  readonly settings?: RecipeSettings;
  /** An addition that the user has to make: a group for all rows, a file that knows the UIDs. */
  readonly needs?: 'guid' | LookupName;
  /** Settings that do in place of the addition. */
  readonly instead?: RecipeSettings;
  /** Settings that only the user can complete, with `<…>` where a word is missing. */
  readonly open?: RecipeSettings;
}

/** States and flags of something else than the membership. */
const isOfOther = mentions(
  'payment, financial, order, license, licence, fulfilment, fulfillment, marital, email, emails, e mail, e mails, mail, tax, sync, dirsync, verification, background, visa, mfa, 2fa, 2sv, tfa, otp, sso, saml, two, factor, twofactor, two factor, password, newsletter, newsletters, notification, notifications, sms, billing, charge, payout, photo, avatar, cookie, consent',
);
const saysStatus = mentions('status, rsvp, zustand, estado, statut, stato, membership$, attendance$');

const isYes = isOneOf('true, 1, yes, y, t, x, ja, wahr, si, oui, vrai, verdadero, vero, checked');
const isFlagValue = isOneOf('0, 1, y, n, t, f, x, checked, unchecked');
/** Words of a name that say of a person: here. Another word makes it a flag about something else. */
const isOfPerson = isOneOf(
  'is, has, account, user, member, invitation, invite, login, status, currently, konto, benutzer, cuenta, compte, read, only',
);
const saysTime = mentions('at$, on$, date$, time$, stamp$, timestamp$, till$, until$');
const saysLeft = isOneOf('left, left at, left on, left date, has left, has left at, has left on, has left date');
/** Names of the last day of a membership, which may be still to come. */
const saysEnd = mentions(
  'end date, end day, end time, expir…, until, valid to, exit, leaving, leave date, resignation, termination, austritt, austritts, austrittsdatum, kundigung, kundigungsdatum, vertragsende, enddatum, ende, gultig bis, baja, salida, sortie, depart, fin, uscita, cessazione, dimissioni, scadenza, data fine, saida, desligamento, end$',
);
const saysType = mentions('type$, kind$, object class$, objectclass$');
const isPerson = isOneOf(
  'user, person, people, member, human, individual, guest, external, internal, student, teacher, customer',
);
const isNoPerson = isOneOf(
  'group, bot, app, device, computer, serviceprincipal, service principal, service, serviceaccount, service account, contact, team, channel, room, system, resource, sharedmailbox, shared mailbox, orgcontact, org contact, integration',
);
const isExpired = isOneOf('expired, lapsed');
/** In the number of Active Directory: the account is disabled. */
const ACCOUNT_DISABLED = 2;

export function statesIn(columns: readonly ColumnFacts[]): Step[] {
  const all = columns.flatMap((column) => {
    const condition = conditionFor(column);
    return condition === undefined ? [] : [{ column, condition }];
  });
  // A last day need not be asked for if a state has left out all who have one.
  const sure = all.filter(({ condition }) => !isOpen(condition));
  const isExpiryKnown = sure.some(({ column: { few } }) => few.keys().some(isExpired));
  const isSaid = ({ cells, looksLike }: ColumnFacts) =>
    (isExpiryKnown && looksLike === 'date') ||
    cells?.every(
      (cell, row) => cell === '' || sure.some((one) => !meets(one.column.cells?.[row] ?? '', one.condition)),
    );
  return all
    .filter(({ column, condition }) => !isOpen(condition) || isSaid(column) !== true)
    .map(({ column, condition }) => ({
      text: adviceFor(column, condition),
      [isOpen(condition) ? 'open' : 'settings']: { shape: { where: [condition] } },
    }));
}

function meets(cell: string, { is, isNot = [] }: Condition) {
  const isAmong = (values: readonly string[]) => values.some((value) => value.toLowerCase() === cell.toLowerCase());
  return is === undefined ? !isAmong(isNot) : isAmong(is);
}

function isOpen({ is }: Condition): boolean {
  return is?.includes(OPEN_VALUE) === true;
}

/** The meaning of each word, also without what all of them have: "Active patron" and "Former patron" are "active" and "former". */
function meaningsOf(few: readonly string[]): (word: string) => ReturnType<typeof meaningOf> {
  const [first = [], ...others] = few.map((word) => word.split(' '));
  const common = others.length === 0 ? [] : first.filter((part) => others.every((parts) => parts.includes(part)));
  return (word) =>
    meaningOf(word) ??
    meaningOf(
      word
        .split(' ')
        .filter((part) => !common.includes(part))
        .join(' '),
    );
}

function conditionFor({ name, few: counts, filled, looksLike }: ColumnFacts): Condition | undefined {
  const said = plain(wordsOf(name));
  const few = [...counts.keys()];
  const open: Condition = { column: name, is: [OPEN_VALUE] };
  if (said === 'user account control') return enabledAccounts(name, few) ?? (filled > 0 ? open : undefined);
  if (isOfOther(said)) return undefined;
  const isGone = saysGone(said) || saysLeft(said);
  const told = said.split(' ').filter((word) => !isOfPerson(word));
  const isHere = told.length > 0 && told.every(saysHere);
  const isStatus = saysStatus(said);
  if (isGone && saysTime(said)) return { column: name, is: ['', '0'] };
  if (saysEnd(said) && looksLike !== 'mark') return filled > 0 ? open : undefined;
  if (filled === 0) return undefined;
  if (few.length > 0 && few.every((word) => isBoolean(word) || isFlagValue(word))) {
    const yes = [...new Set([...few.filter(isYes).map((word) => word.toLowerCase()), 'true', '1'])];
    if (isGone) return { column: name, isNot: yes };
    if (isHere) return { column: name, is: yes };
    return isStatus ? statusOf(name, few) : undefined;
  }
  if (saysType(said)) {
    const people = few.filter(isPerson);
    return people.length > 0 && few.some(isNoPerson) ? { column: name, is: people } : undefined;
  }
  if (looksLike === 'date' && !isGone) return undefined;
  if (isStatus || isHere || looksLike === 'status') return few.length === 0 ? open : statusOf(name, few);
  if (isGone) return few.every(isNothing) ? undefined : open;
  const meanings = few.map(meaningsOf(few));
  if (meanings.includes(undefined) || !meanings.some(isOut)) return undefined;
  return statusOf(name, few);
}

/** Keeps the words for members. A word that nobody knows is for a person to decide about. */
function statusOf(column: string, few: readonly string[]): Condition {
  const meaning = meaningsOf(few);
  const unknown = few.filter((word) => meaning(word) === undefined);
  const members = few.filter((word) => meaning(word) !== undefined && !isOut(meaning(word)) && meaning(word) !== 'ban');
  if (unknown.length > 0) return { column, is: [...members, OPEN_VALUE] };
  return keeping(column, members, few);
}

function keeping(column: string, members: string[], few: readonly string[]): Condition {
  return members.length > 0 ? { column, is: members } : { column, isNot: [...few] };
}

function enabledAccounts(column: string, few: readonly string[]): Condition | undefined {
  if (few.length === 0 || !few.every((word) => /^\d+$/.test(word))) return undefined;
  const enabled = few.filter((word) => (Number(word) & ACCOUNT_DISABLED) === 0);
  return keeping(column, enabled, few);
}

function adviceFor({ name, few }: ColumnFacts, condition: Condition) {
  const { is = [], isNot } = condition;
  const seen = few.size === 0 ? 'says who is a member no more' : `has ${counted(few)}`;
  const column = `Column ${shown(name)} ${seen}`;
  if (isOpen(condition)) {
    const known = is.length === 1 ? '' : `; ${listed(is.slice(0, -1))} say${is.length === 2 ? 's' : ''} so`;
    return words`${column}: say which rows are members in ${option('where')}, or leave that out${known}.`;
  }
  const told = listed((isNot ?? is).filter((word) => word !== ''));
  if (isNot !== undefined) return words`${column}: ${option('where')} leaves out ${told}.`;
  if (is.includes('')) return words`${column}: ${option('where')} leaves out rows with one.`;
  return words`${column}: ${option('where')} keeps ${told} only.`;
}

/** `"active" (12 rows), "deleted" (1)` @param more is said of each word */
export function counted(few: Iterable<[string, number]>, more: (word: string) => string = () => ''): string {
  return [...few]
    .map(([word, n], index) => `${shown(word)} (${n}${index > 0 ? '' : n === 1 ? ' row' : ' rows'})${more(word)}`)
    .join(', ');
}

/** The highest of several scopes of a person counts. */
const HIGHEST = ['admin', 'moderator', 'participant'] as const;

/** The meaning of a word in the scope column; of several in a cell ("admin,moderator") the highest. Undefined: nobody knows. */
export function scopeMeaning(text: string): ScopeMeaning | undefined {
  const parts = text.split(/[,;|/+&\n]/).filter((part) => part.trim() !== '');
  const [only, ...others] = new Set(parts.map((part) => scopeOfWord(part) ?? meaningOf(part)));
  if (others.length === 0 && only === 'ban') return only;
  if (others.length === 0 && isOut(only)) return 'none';
  const meanings = [only, ...others];
  const known = HIGHEST.filter((scope) => meanings.includes(scope));
  return known.length === meanings.length ? known[0] : undefined;
}

const isNoScope = mentions('type, kind, class, status, state, title, job');

/** Rates how surely a column has the scopes: its words are known, or it is called so. */
export function scopeRank({ name, looksLike, few }: ColumnFacts): number {
  if (few.size === 0 || looksLike === 'date') return 0;
  const known = few.keys().some((word) => scopeMeaning(word) !== undefined);
  if (isRole(name)) return known ? 4 : looksLike === 'scope' || looksLike === 'id' ? 3 : 0;
  if (looksLike !== 'scope' || isNoScope(wordsOf(name))) return 0;
  return known ? 2 : 0;
}
