import { type Words, type WriteOption, written } from '../errors/named-options.ts';
import { isObject, isText, storedJson } from '../platform/stored-json.ts';
import { asClause } from '../text/wording.ts';
import type { ImportRecord } from './catalog.ts';

/** Returns the reason for an import's state and its remedy, worded for one surface. Without a full stop. */
export function reasonFor({ reason, remedy }: Pick<ImportRecord, 'reason' | 'remedy'>, write: WriteOption): string {
  if (remedy === null) return reason;
  const next = written(wordsOf(remedy), write);
  return `${asClause(reason)}. ${next.charAt(0).toUpperCase()}${next.slice(1)}`;
}

/** Limits that people raise. */
const AGREED = ['maxCreate', 'maxRemovals'] as const;

/** Limits with the value that the remedy names: the import continues when a person agrees to it. */
export function optionsToAgree({
  remedy,
}: Pick<ImportRecord, 'remedy'>): Readonly<Partial<Record<(typeof AGREED)[number], string>>> {
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
