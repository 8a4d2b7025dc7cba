import type { InputErrorCode } from '../errors/errors.ts';
import { INPUT_ERRORS } from '../errors/input-errors.ts';
import { type Words, type WriteOption, written } from '../errors/named-options.ts';
import { isObject, isText, storedJson } from '../platform/stored-json.ts';
import { asClause, capitalised } from '../text/wording.ts';

/**
 * Reasons for the state of an import, for programs: exit codes, next steps and clients branch on these, never on the
 * sentence beside them. docs/errors.md explains each.
 */
export const REASON_CODES = [
  ...(Object.keys(INPUT_ERRORS) as InputErrorCode[]), // rejected: the input cannot be used
  'DRY_RUN', // staged: read and checked only
  'AWAITS_AGREEMENT', // staged: sent when a person has agreed to what that takes
  'CREATE_WITHOUT_NAME', // staged: nothing in the input names what it would create
  'REGION_WITHOUT_APP', // staged: nothing is sent before the region has an app
  'TOO_MANY_REMOVALS', // staged: a file of changes that removes or bans more than it may without asking
  'FIRST_ROWS', // paused: the rows to try first were sent, the others wait
  'WRONG_TARGET', // staged, blocked: begun for another app than this process sends to
  'SERVICE_REFUSED', // blocked: the key or the plan of a region
  'SERVICE_AWAY', // blocked: the service has not answered for as long as the import may wait
  'BANS_UNKNOWN', // blocked: it is not known who is banned from its groups
  'CREATE_LIMIT', // blocked: more users or groups are missing than may be created
  'DISK_FULL', // blocked: the disk of the data directory has no room
  'DATABASE_BUSY', // blocked: another program holds a file of the data directory
  'TOO_MANY_ERRORS', // aborted: more than it may have
  'WRONG_SUM', // over: totals and rows disagree, a fault of rollcall
  'READING_FAILED', // failed: an unexpected error while the input was read
  'SENDING_FAILED',
  'RECORDING_FAILED',
  'CLOSING_FAILED',
  'LEDGER_MISSING', // failed: the file with its rows is gone
  'DAMAGED_LEDGER', // failed: the file with its rows cannot be read
  'PROCESS_DIED', // blocked, and at last failed: the process ended again and again
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** Whether a staged import was only to be read, so that nobody waits for it. */
export function isOnlyRead(code: string | null | undefined) {
  return code === 'DRY_RUN' || code === 'AWAITS_AGREEMENT';
}

/** Reasons why a blocked import waits for something of this machine, before or after its input is read. */
const MACHINE_WAITS = ['DISK_FULL', 'DATABASE_BUSY', 'PROCESS_DIED'] as const satisfies readonly ReasonCode[];
export type MachineWait = (typeof MACHINE_WAITS)[number];

export function isMachineWait(code: string | null): code is MachineWait {
  return MACHINE_WAITS.some((one) => one === code);
}

/** Whether a process that starts continues a blocked import with this code: no person has to do anything. */
export function continuesAtStart(code: string | null) {
  return code === 'SERVICE_AWAY' || code === 'WRONG_TARGET' || isMachineWait(code);
}

/** The reason for the state of an import as the catalog has it; `remedy` as JSON. */
interface Reason {
  readonly reason: string;
  readonly remedy: string | null;
}

/** Returns the reason for an import's state and its remedy, worded for one surface. Without a full stop. */
export function reasonFor({ reason, remedy }: Reason, write: WriteOption) {
  if (remedy === null) return reason;
  return `${asClause(reason)}. ${capitalised(written(wordsOf(remedy), write))}`;
}

/** Limits that people raise. */
const AGREED = ['maxCreate', 'maxRemovals'] as const;

/** Limits with the value that the remedy names: the import continues when a person agrees to it. */
export function optionsToAgree({
  remedy,
}: Pick<Reason, 'remedy'>): Readonly<Partial<Record<(typeof AGREED)[number], string>>> {
  const parts = remedy === null ? '' : wordsOf(remedy);
  if (typeof parts === 'string') return {};
  return Object.fromEntries(
    parts.flatMap((part) => {
      const name = AGREED.find((one) => typeof part !== 'string' && part.option === one);
      return name === undefined || typeof part === 'string' || part.value === undefined ? [] : [[name, part.value]];
    }),
  );
}

function wordsOf(remedy: string): Words {
  return storedJson(remedy, 'the words of a remedy', isWords);
}

function isWords(value: unknown): value is Words {
  const isPart = (part: unknown) =>
    isText(part) ||
    (isObject(part) && isText(part['option']) && (part['value'] === undefined || isText(part['value'])));
  return isText(value) || (Array.isArray(value) && value.every(isPart));
}
