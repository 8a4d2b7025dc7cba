import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { LOOKUP_NAMES, type LookupName } from '../../options/lookups.ts';
import { printable } from '../../text/wording.ts';

/** A file in a request: the body itself, or the one part of a form. */
export interface SentFile {
  readonly stream: Readable;
  /** The client's name for it; only ever a label. */
  readonly name: string | undefined;
  /** Media type of the file. */
  readonly type: string;
}

const PART = 'file';
/**
 * Hands the file of a request to `take`, and returns its result. @throws BAD_BODY, MEDIA_TYPE
 * @param takeLookup takes an identity or group file, which a form may also have; absent: it may not
 */
export async function withFileOf<Result>(
  request: FastifyRequest,
  take: (file: SentFile) => Promise<Result>,
  takeLookup?: (lookup: LookupName, file: SentFile) => Promise<void>,
): Promise<Result> {
  const coding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const form = request.isMultipart();
  // A gzipped file is kept as it is: reading recognises it. A gzipped form would have to be unpacked to find the file.
  if (coding !== 'identity' && (form || coding !== 'gzip')) {
    const where = form ? 'a form' : 'a file';
    const what = `Content-Encoding is ${JSON.stringify(coding)}, which ${where} cannot have`;
    throw new RollcallError('MEDIA_TYPE', { what });
  }
  const type = request.headers['content-type'] ?? '';
  if (!form) return take({ stream: request.raw, name: undefined, type });
  let taken: { readonly result: Result } | undefined;
  const awaited = new Set(LOOKUP_NAMES);
  try {
    for await (const part of request.parts({
      limits: {
        parts: takeLookup === undefined ? 1 : 1 + LOOKUP_NAMES.length,
        fileSize: Number.POSITIVE_INFINITY,
        headerPairs: 20,
      },
    })) {
      if (part.type !== 'file') throw wrongPart(part.fieldname);
      const file = { stream: part.file, name: part.filename, type: part.mimetype };
      const lookup = LOOKUP_NAMES.find((name) => name === part.fieldname);
      if (lookup !== undefined && takeLookup !== undefined && awaited.delete(lookup)) await takeLookup(lookup, file);
      else if (part.fieldname === PART && taken === undefined) taken = { result: await take(file) };
      else throw wrongPart(part.fieldname);
    }
  } catch (error) {
    throw brokenForm(error);
  }
  if (taken === undefined) throw badForm('the form has no part named "file"');
  return taken.result;
}

function badForm(what: string, about: { readonly remedy?: string } = {}): RollcallError {
  return new RollcallError('BAD_BODY', { what, field: PART, ...about });
}

function wrongPart(name: string): RollcallError {
  const shown = JSON.stringify(printable(name).slice(0, 60));
  return badForm(`the form has a part ${shown}; it may have one part only, the file, named "file"`, {
    remedy: 'send the file as the part "file", with a file name, and options in the address',
  });
}

/** Errors of the form's parser say little to the sender: clearer ones. */
function brokenForm(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code)) {
    return badForm('the form has more than one part; it may have one only, named "file"');
  }
  if (/needle/.test(message)) {
    return new RollcallError('BAD_BODY', {
      what: 'the form cannot be read: its boundary is longer than 70 characters',
    });
  }
  if (
    /Unexpected end|Multipart: Boundary not found|Malformed|multipart/i.test(message) &&
    !(error instanceof RollcallError)
  ) {
    return new RollcallError('BAD_BODY', { what: `the form cannot be read: ${message}` });
  }
  return error;
}

const MAX_NAME_LENGTH = 200;

/** A file name that is safe to show: its last part, printable, not too long. It never becomes a path. */
export function labelOf(name: string | undefined): string {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  const label = printable(last).trim().slice(0, MAX_NAME_LENGTH);
  // "-" means standard input elsewhere.
  return label === '' || label === '-' ? 'upload' : label;
}
