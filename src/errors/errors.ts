import type { Entry, Refusal, Said } from './entry.ts';
import { INPUT_ERRORS } from './input-errors.ts';
import { MACHINE_ERRORS } from './machine-errors.ts';
import { REQUEST_ERRORS } from './request-errors.ts';
import { SERVICE_ERRORS } from './service-errors.ts';
import { WORK_ERRORS } from './work-errors.ts';

/**
 * Every error, by its stable code: what requests answer (docs/errors.md is made of it), exit codes of commands, sentences and
 * remedies. Data and functions only, because every command loads it.
 */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...WORK_ERRORS,
  ...MACHINE_ERRORS,
  ...SERVICE_ERRORS,
  ...INPUT_ERRORS,
  // A request has one of its own.
  TOO_LARGE: REQUEST_ERRORS.TOO_LARGE,
};

export type ErrorCode = keyof typeof ERRORS;
/** Codes of inputs that cannot be used. */
export type InputErrorCode = keyof typeof INPUT_ERRORS;

/** Codes that a request can be refused with. */
export type RefusalCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code] extends Refusal<never> ? Code : never;
}[ErrorCode];

/** The values that the sentence of a code shows; one of the service, of a newer server or of an input has its own. */
export type FactsOf<Code extends string> = Code extends ErrorCode
  ? (typeof ERRORS)[Code] extends Entry<infer Facts>
    ? Facts
    : never
  : Said;

/** The entry of a code; undefined for one of the service, of a newer server or of an input. */
export function entryOf(code: string): Entry<never> | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
}

export function isRefusalCode(code: string): code is RefusalCode {
  return statusOf(code) !== undefined;
}

/** The HTTP status of a request that ends in such an error; undefined where the request did not cause it. */
export function statusOf(code: string) {
  return (entryOf(code) as Partial<Refusal<never>> | undefined)?.status;
}

export const REFUSAL_CODES = Object.keys(ERRORS).filter(isRefusalCode);
