import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The documents for people, by the path in the repository. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: ROOT }).toSorted(),
];

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The place at which it begins, such as `docs/sync.md:3`. */
  readonly place: string;
  /** The reason why it is not run, from the comment directly above it: `<!-- not run: … -->`. */
  readonly notRun: string | undefined;
}

export function blocksOf(document: string): readonly Block[] {
  const markdown = textOf(document);
  return [...markdown.matchAll(/(?:^<!-- not run: ([^\n]+) -->\n)?^```(\w*)\n(.*?)^```$/gms)].map((match) => {
    const [whole, notRun, language = '', text = ''] = match;
    const before = markdown.slice(0, match.index + whole.indexOf('```'));
    return { language, text, notRun, place: `${document}:${before.split('\n').length}` };
  });
}

/** The commands of a block, one a line: without comments, and with the lines joined that a backslash breaks. */
export function commandsOf(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)# .*$/, '').trimEnd())
    .filter((line) => line !== '');
}

/** The words of a command, as a shell makes them; undefined where it takes more than quotes. */
function wordsOf(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = command;
  while (rest !== '') {
    const [whole, word] = /^((?:[^\s'"|&;<>$`*?()~\\]|'[^']*'|"[^"$`\\]*")+)(?:\s+|$)/.exec(rest) ?? [];
    if (whole === undefined || word === undefined) return undefined;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    rest = rest.slice(whole.length);
  }
  return words;
}

/** The words after `rollcall`; undefined for another program, or where a shell has more to do. */
export function rollcallWords(command: string): readonly string[] | undefined {
  const [, rest] = /^(?:npx )?rollcall (.*)$/.exec(command) ?? [];
  return rest === undefined ? undefined : wordsOf(rest);
}
