/** A wrong value in a sentence. */
import { useState } from 'preact/hooks';
import { foreign } from './element.tsx';
import { grouped } from './format.ts';

/** Two lines on a phone. */
const MAX_CHARACTERS = 60;

/** A value, of which a long one shows its beginning until the whole is asked for. */
export function LongValue({ value }: { value: string }) {
  const [isWhole, setWhole] = useState(false);
  const characters = [...value];
  if (characters.length <= MAX_CHARACTERS) return <code>{foreign(value)}</code>;
  return (
    <>
      <code>{foreign(isWhole ? value : `${characters.slice(0, MAX_CHARACTERS).join('')}…`)}</code>{' '}
      <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Show its beginning' : `Show all ${grouped(characters.length)} characters`}
      </button>
    </>
  );
}
