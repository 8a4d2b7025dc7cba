import { readFileSync, writeFileSync } from 'node:fs';
import type { Entry, Refusal } from '../src/errors/entry.ts';
import { ERRORS, type ErrorCode, isRefusalCode, REFUSAL_CODES } from '../src/errors/errors.ts';
import { INPUT_ERRORS } from '../src/errors/input-errors.ts';

/**
 * The first chapters of docs/errors.md, and the codes of inputs in the third, made from the table of errors: `npm run build` writes them, as `node tools/errors.ts`
 * does alone, and a test compares.
 */

const DOCUMENT = new URL('../docs/errors.md', import.meta.url);
/** The first line that people write. */
const REST = '| `TOO_MANY_REMOVALS` | staged';

export function errorChapters(): string {
  const sections = REFUSAL_CODES.map((code) => {
    const { title, cause, status, exit = 2, advice }: Refusal<never> = ERRORS[code];
    const parts = [`## \`${code}\` (${status})`, `${title}. Exit code ${exit}.`];
    return [...parts, ...(cause === undefined ? [] : [`Cause: ${cause}`]), `Remedy: ${advice}`].join('\n\n');
  });
  const others = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !isRefusalCode(code) && !(code in INPUT_ERRORS));
  const rows = others.map((code) => {
    const { title, cause, exit = 2 }: Entry<never> = ERRORS[code];
    return `| \`${code}\` | ${exit} | ${title}${cause === undefined ? '' : `. ${cause}`} |`;
  });
  const inputs = Object.entries(INPUT_ERRORS).map(
    ([code, { title }]) => `| \`${code}\` | rejected | ${title.charAt(0).toLowerCase()}${title.slice(1)} |`,
  );
  return [
    '# Errors',
    'Each error has a code, which never changes, and facts: the values that its sentence shows. Programs should use the code.',
    `A request that is refused gets a problem document (RFC 9457, \`application/problem+json\`):

\`\`\`json
{
  "type": "/docs/errors#BAD_OPTION",
  "title": "An option cannot be used",
  "status": 400,
  "code": "BAD_OPTION",
  "detail": "region is \\"mars\\": allowed are us, eu, in.",
  "field": "region",
  "remedy": "Fix what \`field\` names and send it again.",
  "onPages": ""
}
\`\`\``,
    '`detail` and `remedy` are for people; `onPages` is the remedy for those who see pages, where it differs. A command that ends with an error prints its sentence, what to do and the code, and has the exit code. With `--json` it prints this document on standard error instead; codes of commands only have no `status`. Logs show the code. These chapters are made from the table in `src/errors`.',
    ...sections,
    '# Errors of commands only',
    'A file that cannot be used ends with exit code 2 and one of the first codes of imports, below.',
    ['| code | exit code | what is wrong |', '| --- | --- | --- |', ...rows].join('\n'),
    '# Codes of imports',
    '`code` says why an import is in its state, in `--json`, in `summary.json` and in the API. It is absent where the state says enough.',
    ['| code | state | why |', '| --- | --- | --- |', ...inputs].join('\n'),
  ].join('\n\n');
}

export function writeErrors(): void {
  const [, rest = ''] = readFileSync(DOCUMENT, 'utf8').split(REST);
  writeFileSync(DOCUMENT, `${errorChapters()}\n${REST}${rest}`);
}

if (import.meta.main) writeErrors();
