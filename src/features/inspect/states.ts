import { listed, shown } from '../../imports/read/intake-error.ts';
import { OPEN_VALUE } from '../../options/option-texts.ts';
import type { ShapeInput } from '../../options/shape.ts';
import type { ColumnFacts } from './column-facts.ts';
import { wordsOf } from './column-names.ts';

/** Finds the rows of a list of people that are no members (any more, or yet), as far as its status columns show it. */

type Condition = NonNullable<ShapeInput['where']>[number];

export interface States {
  readonly where: readonly Condition[];
  readonly advice: readonly string[];
}

const MEMBER =
  /^(?:(?:primary )?owner|admin|guest|active|enabled|accepted|approved|confirmed|member|join(?:ed)?|attending|going|registered|enrolled|current|subscribed|ok|aktiv|activo|actif|yes)$/i;
const NO_MEMBER =
  /^(?:inactive|deleted|disabled|suspended|pending(?: .*)?|invited|invite sent|completed|declined|rejected|archived|terminated|not[ _]attending|not going|cancell?ed|left|leave|outcast|removed|blocked|banned|expired|waitlisted|waitlist|waiting|locked(?:_out)?|deprovisioned|staged|provisioned|former|resigned|retired|withdrawn|dropped|unconfirmed|unsubscribed|cleaned|bounced|requested|revoked|tobedeleted|deactivated|concluded|unenrolled|inaktiv|gelöscht|no|maybe)$/i;
/** States of something else than the membership. */
const OTHER_STATUS =
  /\b(?:payment|financial|order|license|licence|fulfil?lment|marital|e ?mail|tax|sync|verification|background|visa|mfa)\b/;
const STATUS = /\b(?:status|rsvp|zustand|estado|statut|stato)\b|\bmembership$/;

const YES = /^(?:true|1|yes|y|t|x|ja|checked)$/i;
const BOOLEAN = /^(?:true|false|0|1|yes|no|y|n|t|f|x|ja|nein|checked|unchecked)$/i;
const GONE =
  /\b(?:deleted?|removed?|suspended|terminated|termination|deactivated|disabled|inactive|archived|blocked|locked|left|cancell?ed|unsubscribed|withdrawn|expired|bot|revoked|declined|dropped|pending)\b/;
const HERE = /\b(?:active|enabled|accepted|approved|confirmed|attending|registered|enrolled|aktiv)\b/;
const TIME = /\b(?:at|on|date|time)$/;
const END = /\b(?:end|expir\w+|until|exit|leaving)\b/;
const TYPE = /\b(?:type|kind|object class)$/;
const PERSON = /^(?:user|person|people|member|human|individual|guest|external|internal|student|teacher|customer)$/i;
const NO_PERSON =
  /^(?:group|bot|app|device|service ?principal|service|service ?account|contact|team|channel|room|system|resource|shared ?mailbox|org ?contact|integration)$/i;

/** Whether a word says that a person is no member (any more, or yet). */
export function isNoMember(word: string): boolean {
  return NO_MEMBER.test(word) && !/^banned$/i.test(word);
}

export function statesIn(columns: readonly ColumnFacts[]): States {
  const all = columns.flatMap((column) => {
    const condition = conditionFor(column);
    return condition === undefined ? [] : [{ column, condition }];
  });
  // If a status tells whose membership has expired, its last day need not be asked for.
  const isSaid = all.some(({ column: { few = [] }, condition }) => !isOpen(condition) && few.some(isExpired));
  const found = all.filter(({ column, condition }) => !(isSaid && column.looksLike === 'date' && isOpen(condition)));
  return {
    where: found.map(({ condition }) => condition),
    advice: found.map(({ column, condition }) => adviceFor(column, condition)),
  };
}

const isOpen = ({ is }: Condition) => is?.[0] === OPEN_VALUE;
const isExpired = (word: string) => /^expired$/i.test(word);

/** Tests words also without what all of them have: "Active patron" and "Former patron" are "active" and "former". */
function testing(few: readonly string[], pattern: RegExp): (word: string) => boolean {
  const [first = [], ...others] = few.map((word) => word.split(' '));
  const common = others.length === 0 ? [] : first.filter((part) => others.every((parts) => parts.includes(part)));
  const telling = (word: string) => word.split(' ').filter((part) => !common.includes(part));
  return (word) => pattern.test(word) || pattern.test(telling(word).join(' '));
}

function conditionFor({ name, few = [], filled, looksLike }: ColumnFacts): Condition | undefined {
  const words = wordsOf(name);
  if (OTHER_STATUS.test(words)) return undefined;
  if (TIME.test(words) && GONE.test(words)) return { column: name, is: ['', '0'] };
  if (looksLike === 'date') return END.test(words) && filled > 0 ? { column: name, is: [OPEN_VALUE] } : undefined;
  if (few.length === 0) return undefined;
  if (few.every((word) => BOOLEAN.test(word))) {
    const yes = [...new Set([...few.filter((word) => YES.test(word)).map((word) => word.toLowerCase()), 'true', '1'])];
    if (GONE.test(words)) return { column: name, isNot: yes };
    if (HERE.test(words)) return { column: name, is: yes };
    return undefined;
  }
  if (TYPE.test(words)) {
    const people = few.filter((word) => PERSON.test(word));
    return people.length > 0 && few.some((word) => NO_PERSON.test(word)) ? { column: name, is: people } : undefined;
  }
  const members = few.filter(testing(few, MEMBER));
  const others = few.filter(testing(few, NO_MEMBER));
  const isStatus = STATUS.test(words);
  if (!isStatus && looksLike !== 'status' && members.length + others.length < few.length) return undefined;
  if (members.length > 0) return { column: name, is: members };
  if (others.length > 0) return { column: name, isNot: others };
  return isStatus ? { column: name, is: [OPEN_VALUE] } : undefined;
}

function adviceFor({ name, few }: ColumnFacts, { is = [], isNot }: Condition): string {
  const seen = few === undefined || few.length === 0 ? 'says who is a member no more' : `has ${listed(few)}`;
  if (is[0] === OPEN_VALUE) {
    return `Column ${shown(name)} ${seen}: say which rows are members in --where, or leave that out.`;
  }
  const kept = isNot === undefined ? is : isNot;
  const words = listed(kept.filter((word) => word !== ''));
  const left =
    isNot !== undefined
      ? `--where leaves out ${words}`
      : is.includes('')
        ? '--where leaves out rows with one'
        : `--where keeps ${words} only`;
  return `Column ${shown(name)} ${seen}: ${left}.`;
}
