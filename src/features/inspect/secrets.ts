import type { ColumnFacts } from './column-facts.ts';

const SECRET =
  /pass(?:word|wd|phrase|code)|\bpwd\b|\bpin\b|secret|token|credential|api[\s_-]?key|private[\s_-]?key|passwort|kennwort|contraseña|mot de passe/i;
/** A key of JSON, with a value. */
const KEY = /"([^"]*)"\s*:(?!\s*(?:""|null))/g;

/** Whether the values of a column may be passwords or tokens: people do not need them to understand a file. */
export function isSecret({ name, filled, examples }: Pick<ColumnFacts, 'name' | 'filled' | 'examples'>): boolean {
  return filled > 0 && (SECRET.test(name) || examples.some(hasSecretKey));
}

/** The first lines of a file, as far as they name no secret. @param headerLines lines at the top that have no values */
export function withoutSecrets(lines: readonly string[], isHidden: boolean, headerLines: number): string[] {
  if (isHidden) return lines.slice(0, headerLines);
  return lines.some(hasSecretKey) ? [] : [...lines];
}

function hasSecretKey(text: string): boolean {
  return text.matchAll(KEY).some(([, key = '']) => SECRET.test(key));
}
