/** Every word of the scope column with its rows and its meaning: nothing is decided that was not shown. */
import { CHOICES, LABELS } from '../../../options/labels.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { foreign } from '../../kit/elements.tsx';
import { type Choice, type Form, optionsOf } from '../../kit/form.tsx';
import type { ShownFile } from './file-preview.ts';
import { wordsOf } from './shape-form.ts';
import { openWords, scopeWordsIn } from './steps.ts';

const MEANINGS: Choice[] = [...CHOICES.scope, ['none', 'no membership']];

export function ScopeWords({ preview, form }: { preview: ShownFile; form: Form }) {
  const facts = preview.facts.value;
  const column = preview.columnOf('scope');
  const seen = facts?.columns.find(({ name }) => name === column)?.words ?? {};
  const found = facts?.steps.find(({ settings }) => settings?.shape?.scopeWords !== undefined)?.settings?.shape
    ?.scopeWords;
  const own = wordsOf(form.values.value);
  const words = scopeWordsIn(seen, own, found ?? {});
  const strange = words.filter(({ isPlain }) => !isPlain);
  // A recipe has meanings of its own.
  if (strange.length === 0 || form.get('recipe') !== '') return null;
  const put = (meanings: Readonly<Record<string, string>>) => {
    const chosen = Object.entries({ ...own, ...meanings }).filter(([, meaning]) => meaning !== '');
    form.set('scopeWords', chosen.length === 0 ? '' : JSON.stringify(Object.fromEntries(chosen)));
  };
  const offered = strange.filter(({ meaning, suggested }) => meaning === '' && suggested !== '');
  return (
    <section class="words" aria-labelledby="words">
      <div class="about">
        <h3 id="words">{LABELS['scopeWords']}</h3>
        <p class="note" role="status">
          {openWords(words)}
        </p>
        {offered.length > 0 && (
          <button
            type="button"
            onClick={() => {
              put(Object.fromEntries(offered.map(({ word, suggested }) => [word, suggested])));
              preview.landing.value = 'The meanings were taken.';
            }}
          >
            {offered.length === 1 ? 'Use this meaning' : `Use these ${grouped(offered.length)} meanings`}
          </button>
        )}
      </div>
      <ul class="plain">
        {strange.map(({ word, rows, meaning, suggested }, index) => (
          <li key={word}>
            <label for={`word-${index}`}>{word === '*' ? 'Any other word' : <>“{foreign(word)}”</>}</label>
            <span class="soft">{rows > 0 && counted(rows, 'row')}</span>
            <select
              id={`word-${index}`}
              value={meaning}
              onChange={({ currentTarget }) => put({ [word]: currentTarget.value })}
            >
              {optionsOf([
                ['', suggested === '' ? 'not decided' : `${suggested === 'none' ? 'no membership' : suggested}?`],
                ...MEANINGS,
              ])}
            </select>
          </li>
        ))}
      </ul>
      {strange.length < words.length && (
        <p class="note">
          {words
            .filter(({ isPlain }) => isPlain)
            .map(
              ({ word, rows, meaning }) =>
                `${word === '' ? 'Empty cell' : `“${word}”`} (${counted(rows, 'row')}): ${meaning}`,
            )
            .join('; ')}
          .
        </p>
      )}
    </section>
  );
}
