/** Data of imports that the list of imports does not know. */
import type { Overview } from '../../answers.ts';
import { grouped } from '../../format.ts';

/** Folders that are named. */
const MAX_NAMED = 3;

export function Strays({ folders: { count, names } }: { folders: NonNullable<Overview['unknownFolders']> }) {
  const named = names.slice(0, MAX_NAMED);
  return (
    <div class="notice attention">
      <p>
        <b>
          The list of imports does not know {count === 1 ? 'a folder' : `${grouped(count)} folders`} with data of
          imports
        </b>{' '}
        ({named.flatMap((name, at) => [at > 0 && ', ', <code key={name}>{name}</code>])}
        {count > named.length && ` and ${grouped(count - named.length)} more`}): they do not go on, so import again what
        is missing of them, and then delete {count === 1 ? 'the folder' : 'the folders'} in <code>imports</code> of the
        data directory.
      </p>
    </div>
  );
}
