/** Observations about a file, with buttons that apply a suggestion; and every word of its scope column: nothing is decided that was not shown. */
import { CHOICES, LABELS } from '../../../options/labels.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { columnLabel } from '../../import-words.ts';
import { foreign } from '../../kit/elements.tsx';
import { type Choice, Control, focusField } from '../../kit/form.tsx';
import { openWords, scopeWordsIn, seenSentence, suggestionsFor, wordsSeen } from './columns-rules.ts';
import type { FileForm } from './file-form.ts';

export function Suggestions({ form }: { form: FileForm }) {
  const facts = form.facts.value;
  const found = suggestionsFor(form);
  const sure = found.flatMap(({ ways: [first] }) => (first?.change === undefined ? [] : [first.change]));
  // A recipe says itself what it needs.
  if (facts === undefined || form.get('recipe') !== '') return null;
  if (found.length === 0 && facts.rows.seen === facts.rows.valid) return null;
  const applyAll = () => {
    for (const change of sure) form.take(change);
    form.landing.value = `${sure.length} suggestions were applied.`;
  };
  return (
    <section class="suggestions notice calm col" aria-labelledby="seen">
      <div class="row baseline">
        <h3 id="seen">What was seen</h3>
        {facts.rows.seen > 0 && <p class="note">{seenSentence(facts, form)}</p>}
        {sure.length > 1 && (
          <button type="button" class="small-button" onClick={applyAll}>
            Apply all {sure.length} suggestions
          </button>
        )}
      </div>
      <ul class="plain col">
        {found.map(({ key, column, text, ways }) => (
          <li key={key} class="row">
            <p>
              {column !== undefined && (
                <>
                  <b>{foreign(columnLabel(column))}</b>:{' '}
                </>
              )}
              {foreign(text)}
            </p>
            {ways.map(({ label, change, focus = '' }) => (
              <button
                key={label}
                type="button"
                class="small-button"
                onClick={() => {
                  if (change === undefined) return focusField(focus);
                  form.take(change);
                  form.landing.value = `Done: ${label}.`;
                }}
              >
                {label}
              </button>
            ))}
            {ways.length > 0 && (
              <button
                type="button"
                class="quiet small-button"
                onClick={() => {
                  form.refused.value = new Set([...form.refused.peek(), key]);
                  form.landing.value = 'Left as it is.';
                }}
              >
                No
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const MEANINGS: Choice[] = [...CHOICES.scope, ['none', 'no membership']];

export function ScopeWords({ form }: { form: FileForm }) {
  const facts = form.facts.value;
  const found = facts?.steps.map(({ settings }) => settings?.shape?.scopeWords).find((words) => words !== undefined);
  const own = form.shape.value.scopeWords ?? {};
  const words = scopeWordsIn(wordsSeen(form) ?? {}, own, found ?? {});
  const plain = words.filter(({ isPlain }) => isPlain);
  const strange = words.filter(({ isPlain }) => !isPlain);
  // A recipe has meanings of its own.
  if (strange.length === 0 || form.get('recipe') !== '') return null;
  const put = (meanings: Readonly<Record<string, string>>) => {
    const chosen = Object.entries({ ...own, ...meanings }).filter(([, meaning]) => meaning !== '');
    form.put('scopeWords', chosen.length === 0 ? undefined : Object.fromEntries(chosen));
  };
  const offered = strange.filter(({ meaning, suggested }) => meaning === '' && suggested !== '');
  return (
    <section class="words col" aria-labelledby="words">
      <div class="row baseline">
        <h3 id="words">{LABELS['scopeWords']}</h3>
        <p class="note" role="status">
          {openWords(words)}
        </p>
        {offered.length > 0 && (
          <button
            type="button"
            onClick={() => {
              put(Object.fromEntries(offered.map(({ word, suggested }) => [word, suggested])));
              form.landing.value = 'The meanings were taken.';
            }}
          >
            {offered.length === 1 ? 'Use this meaning' : `Use these ${grouped(offered.length)} meanings`}
          </button>
        )}
      </div>
      <div class="fields col">
        {strange.map(({ word, rows, meaning, suggested }, index) => (
          <Control
            key={word}
            id={`word-${index}`}
            label={word === '*' ? 'Any other word' : `“${word}”`}
            note={rows > 0 ? counted(rows, 'row') : undefined}
            choices={[
              ['', suggested === '' ? 'not decided' : `${suggested === 'none' ? 'no membership' : suggested}?`],
              ...MEANINGS,
            ]}
            value={meaning}
            onValue={(chosen) => put({ [word]: chosen })}
          />
        ))}
      </div>
      {plain.length > 0 && (
        <p class="note">
          {plain
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
