import { readdirSync, readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../platform/packages.ts';

/** Topics of `rollcall help <topic>`: the documents in docs. */

/** Documents with another topic name, because a command has their name or another name says more. */
const NAMES: Readonly<Record<string, string>> = { sync: 'syncs', recipes: 'using-recipes', 'chat-service': 'service' };
/** For those who change rollcall. */
const NOT_FOR_USERS = new Set(['architecture']);

/** In the order in which they are listed. */
export function helpTopics() {
  return readdirSync(new URL('docs/', PACKAGE_FOLDER))
    .flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? [])
    .filter((document) => !NOT_FOR_USERS.has(document))
    .map((document) => {
      // Comments say what tests do with a block.
      const text = () =>
        readFileSync(new URL(`docs/${document}.md`, PACKAGE_FOLDER), 'utf8').replaceAll(/^<!-- .* -->\n/gm, '');
      return { name: NAMES[document] ?? document, title: /^# (.+)$/m.exec(text())?.[1] ?? '', text };
    });
}
