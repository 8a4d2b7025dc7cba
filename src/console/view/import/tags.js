/** Words by which people find the import again: shown, added, removed. */
import { useSignal } from '@preact/signals';
import { ApiError, request } from '../../api.js';
import { foreign, h, tagHref } from '../../element.js';
import { listIn } from '../../format.js';
import { announce } from '../../frame.js';
import { ErrorPlace } from '../../notice.js';
import { usePlace } from '../../place.js';
import { useKeptFocus, useWork } from '../../work.js';

/** @import { BulkAnswer } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */

/** @param {{ live: LiveImport }} properties */
export function ImportTags({ live }) {
  const { isOperator } = usePlace();
  const place = useKeptFocus();
  const work = useWork();
  const typed = useSignal('');
  const view = live.view.value;
  if (view === undefined || (!isOperator && view.tags.length === 0)) return null;
  const { id, tags } = view;

  /** @param {{ add?: string[], remove?: string[] }} changes @param {string} done */
  const change = (changes, done) =>
    work.start(async (signal) => {
      const body = JSON.stringify({ ids: [id], action: 'tag', tags: changes });
      /** @type {BulkAnswer} */
      const { results } = await request('/v1/imports/actions', {
        method: 'POST',
        type: 'application/json',
        body,
        signal,
      });
      const problem = results[0]?.problem;
      if (problem !== undefined) throw new ApiError(problem);
      typed.value = '';
      await live.load(signal);
      announce(done);
    });
  /** @param {SubmitEvent} event */
  const add = (event) => {
    event.preventDefault();
    const wanted = listIn(typed.peek());
    if (wanted.length > 0) void change({ add: wanted }, `Tagged ${wanted.join(', ')}.`);
  };
  return h(
    'div',
    { class: 'import-tags', role: 'group', 'aria-label': 'Tags', ref: place },
    tags.map((tag) =>
      h(
        'span',
        { key: tag, class: 'tag own' },
        h('a', { href: tagHref(tag) }, foreign(tag)),
        isOperator &&
          h(
            'button',
            {
              type: 'button',
              class: 'untag',
              'aria-label': `Remove the tag ${tag}`,
              'aria-disabled': work.busy,
              onClick: () => void change({ remove: [tag] }, `Removed the tag ${tag}.`),
            },
            '×',
          ),
      ),
    ),
    isOperator &&
      h(
        'form',
        { class: 'joined', onSubmit: add },
        h('input', {
          type: 'text',
          'aria-label': 'Tags to add, separated by commas',
          placeholder: 'Add tags: choir, term 1',
          value: typed.value,
          maxLength: 200,
          spellcheck: false,
          autocapitalize: 'none',
          autocomplete: 'off',
          onInput: ({ currentTarget }) => {
            typed.value = currentTarget.value;
          },
        }),
        h('button', { 'aria-disabled': work.busy }, 'Add'),
      ),
    h(ErrorPlace, { error: work.error }),
  );
}
