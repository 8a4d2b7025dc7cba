import { readdirSync, readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../platform/package-folder.ts';

/** What `rollcall help <topic>` explains: sections of the README, and the documents in docs. */

const README = 'README.md';
/** Sections of the README, by the name of their topic. */
const SECTIONS: Readonly<Record<string, string>> = {
  outcomes: 'What comes out',
  'exit-codes': 'When something goes wrong',
  settings: 'Settings',
};
/** Documents with another topic name, because a command has their name or another name says more. */
const NAMES: Readonly<Record<string, string>> = { sync: 'syncs', recipes: 'using-recipes', 'chat-service': 'service' };
/** For those who change rollcall. */
const NOT_FOR_USERS = new Set(['architecture']);

interface Topic {
  readonly name: string;
  readonly title: string;
  readonly text: () => string;
}

/** In the order in which they are listed. */
export function helpTopics(): readonly Topic[] {
  const sections = Object.entries(SECTIONS).map(([name, title]) => ({ name, title, text: () => sectionOf(title) }));
  const documents = readdirSync(new URL('docs/', PACKAGE_FOLDER))
    .flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? [])
    .filter((document) => !NOT_FOR_USERS.has(document))
    .map((document) => {
      const text = () => read(`docs/${document}.md`);
      return { name: NAMES[document] ?? document, title: titleOf(text()), text };
    });
  return [...sections, ...documents];
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function sectionOf(title: string): string {
  const section = read(README)
    .split(/^(?=## )/m)
    .find((part) => part.startsWith(`## ${title}\n`));
  return `${section?.trim()}\n`;
}

function read(path: string): string {
  return readFileSync(new URL(path, PACKAGE_FOLDER), 'utf8');
}
