import { judge } from '../chat/error-policy.ts';
import { wrap } from '../text/terminal-text.ts';
import { capitalised } from '../text/wording.ts';
import { type Io, print } from './screen/io.ts';

/** Something that `rollcall doctor` or `rollcall sources` has looked at. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy?: string | undefined;
}

export function good(check: string, detail: string): Finding {
  return { check, ok: true, detail };
}

export function wrong(check: string, detail: string, remedy?: string): Finding {
  return { check, ok: false, detail, remedy };
}

export function failedCall(check: string, error: unknown, remedy: string, doing = '') {
  const { code, message } = judge(error, 1);
  return wrong(check, `${doing}${code}: ${message}`, remedy);
}

export function printFindings(io: Io, findings: readonly Finding[]) {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 9);
  const room = io.live ? io.width - indent.length : Number.POSITIVE_INFINITY;
  for (const { check, ok, detail, remedy = '' } of findings) {
    const texts = [detail, capitalised(remedy)].filter((text) => text !== '');
    const lines = texts.flatMap((text) => wrap(text, room));
    print(io, `${ok ? 'ok   ' : 'WRONG'}  ${check.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`);
  }
}
