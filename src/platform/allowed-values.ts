import { badUsage } from '../errors/rollcall-error.ts';

/** The values that a setting or flag accepts: declared once, so that both accept and refuse the same. */
export interface Allowed<Value> {
  /** The form for messages: the choices, or `a whole number from 1 to 100`. */
  readonly allowed: string | readonly string[];
  /** Undefined for a text that is not allowed. @throws BAD_SETTING about `name` where nothing may repeat the value */
  readonly parse: (text: string, name: string) => Value | undefined;
  /** In a file it is a number, not a text. */
  readonly isNumber?: true;
}

/** Reads a text as the value that it says. @throws BAD_USAGE @param name of the value, for a message that must not repeat it */
export function parserFor<Value>({ parse, allowed }: Allowed<Value>, name = 'it'): (text: string) => Value {
  return (text) => {
    const value = parse(text, name);
    if (value !== undefined) return value;
    throw badUsage(typeof allowed === 'string' ? allowed : `one of ${allowed.join(', ')}`);
  };
}

/** `are us, eu, in` or `is a whole number from 1 to 100` */
export function allowedValues({ allowed }: Allowed<unknown>) {
  return typeof allowed === 'string' ? `is ${allowed}` : `are ${allowed.join(', ')}`;
}

export const anyText: Allowed<string> = { allowed: 'any text', parse: (text) => text };

export function wholeNumber(from: number, to: number): Allowed<number> {
  return {
    allowed: `a whole number from ${from} to ${to}`,
    isNumber: true,
    parse: (text) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return number >= from && number <= to ? number : undefined;
    },
  };
}

export function oneOf<const Value extends string>(values: readonly Value[]): Allowed<Value> {
  return { allowed: values, parse: (text) => values.find((value) => value === text.toLowerCase()) };
}

const MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A number and one of the units, in ms. */
function timeIn(units: string, allowed: string): Allowed<number> {
  return {
    allowed,
    parse: (text) => {
      const [, count, unit = ''] = /^(\d{1,6})([a-z])$/.exec(text.trim()) ?? [];
      const ms = units.includes(unit) ? Number(count) * (MS[unit] ?? 0) : 0;
      return ms > 0 ? ms : undefined;
    },
  };
}

/** `90d`, in ms. */
export const duration = timeIn('hdw', 'a number of hours, days or weeks, such as 12h, 90d or 2w');

/** `1h`, in ms. */
export const waitTime = timeIn('smhd', 'a number of seconds, minutes, hours or days, such as 30s, 15m, 1h or 2d');

/** A time as `waitTime` reads it. */
export function timeText(ms: number) {
  const unit = ['d', 'h', 'm'].find((one) => ms % (MS[one] ?? 0) === 0) ?? 's';
  return `${Math.ceil(ms / (MS[unit] ?? 1))}${unit}`;
}

type RowsOrShare = { readonly rows: number } | { readonly percent: number };

/** `100` or `5%`. */
export const rowsOrShare: Allowed<RowsOrShare> = {
  allowed: 'a number of rows, such as 100, or a share of them, such as 5%',
  parse: (text) => {
    const [, digits, percent] = /^(\d{1,12}(?:\.\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
    if (digits !== undefined && percent === '%' && Number(digits) <= 100) return { percent: Number(digits) };
    if (digits !== undefined && percent === '' && Number.isInteger(Number(digits))) return { rows: Number(digits) };
    return undefined;
  },
};

export function rowsOrShareText(bound: RowsOrShare) {
  return 'rows' in bound ? String(bound.rows) : `${bound.percent}%`;
}
