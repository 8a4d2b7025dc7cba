import { z } from 'zod';
import type { Refusal, Said, Surface } from '../errors/entry.ts';
import { ERRORS, entryOf, REFUSAL_CODES, type RefusalCode } from '../errors/errors.ts';
import { asFlag, asParameter, written } from '../errors/named-options.ts';
import type { RollcallError } from '../errors/rollcall-error.ts';
import { asSentence } from '../text/wording.ts';
import { IMPORT_ID } from './fields.ts';

export const PROBLEM_TYPE = 'application/problem+json';

export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(REFUSAL_CODES as [RefusalCode, ...RefusalCode[]]),
    detail: z.string().describe('The problem, in a sentence, with the value.'),
    field: z.string().optional().describe('The option that is wrong.'),
    remedy: z.string().describe('The next step.'),
    onPages: z.string().optional().describe('The same for people who see pages, where it differs.'),
    possible: z.array(z.string()).optional().describe('The values that would be allowed instead.'),
    id: z.string().optional().describe('By which the log can be searched.'),
  })
  .meta({
    id: 'Problem',
    description: 'The reason why a request was refused (RFC 9457); /docs/errors lists the codes.',
    examples: [
      {
        type: '/docs/errors#UNKNOWN_IMPORT',
        title: ERRORS.UNKNOWN_IMPORT.title,
        status: ERRORS.UNKNOWN_IMPORT.status,
        code: 'UNKNOWN_IMPORT',
        detail: `There is no import ${IMPORT_ID}.`,
        remedy: ERRORS.UNKNOWN_IMPORT.title,
      },
    ],
  });
export type ProblemDocument = z.infer<typeof problem>;

/** The document for an error. That of a command may have a code that no request is refused with, and then no status. */
export function problemMembers(error: RollcallError<string>, asker: 'api' | 'command') {
  const { code, what, facts } = error;
  const { title, status, field }: Partial<Refusal<never>> = entryOf(code) ?? {};
  const { field: named = field, possible, id } = facts as Partial<Said & { readonly id: string }>;
  const remedyOn = (surface: Surface) => {
    const text = written(error.remedyOn(surface) ?? '', surface === 'command' ? asFlag : asParameter);
    return text === '' ? '' : asSentence(text);
  };
  const [remedy, onPages] = [remedyOn(asker), remedyOn('page')];
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    code,
    // What is a sentence already may begin with the name of an option.
    detail: what.endsWith('.') ? what : asSentence(what),
    ...(named !== undefined && { field: named }),
    ...(possible !== undefined && { possible: [...possible] }),
    remedy,
    ...(asker === 'api' && onPages !== remedy && { onPages }),
    ...(code === 'INTERNAL' && { id }),
  };
}
