import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS, type ErrorCode, isRefusalCode, REFUSAL_CODES } from '../src/errors/errors.ts';

/**
 * The first two chapters of docs/errors.md, made from the table of errors: `npm run build` writes them, as `node tools/errors.ts`
 * does alone, and a test compares.
 */

const DOCUMENT = new URL('../docs/errors.md', import.meta.url);
const REST = '# Codes of imports\n';

export function errorChapters(): string {
  const sections = REFUSAL_CODES.map((code) => {
    const { title, cause, status, exit, advice } = ERRORS[code];
    const parts = [`## \`${code}\` (${status})`, `${title}. Exit code ${exit}.`];
    return [...parts, ...(cause === undefined ? [] : [`Cause: ${cause}`]), `Remedy: ${advice}`].join('\n\n');
  });
  const others = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !isRefusalCode(code));
  const rows = others.map((code) => {
    const { title, cause, exit } = ERRORS[code];
    return `| \`${code}\` | ${exit} | ${title}${cause === undefined ? '' : `. ${cause}`} |`;
  });
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
    '`detail` and `remedy` are for people; `onPages` is the remedy for those who see pages, where it differs. A command that ends with an error prints its sentence and what to do, and has the exit code; logs show the code. These chapters are made from the table in `src/errors`.',
    ...sections,
    '# Errors of commands only',
    'A file that cannot be used ends with exit code 2 and one of the first codes of imports, below.',
    ['| code | exit code | what is wrong |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

export function writeErrors(): void {
  const [, rest = ''] = readFileSync(DOCUMENT, 'utf8').split(REST);
  writeFileSync(DOCUMENT, `${errorChapters()}\n\n${REST}${rest}`);
}

if (import.meta.main) writeErrors();
