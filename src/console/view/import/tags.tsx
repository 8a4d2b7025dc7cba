/** Words by which people find the import again: shown, added, removed. */
import { useSignal } from '@preact/signals';
import type { BulkAnswer } from '../../answers.ts';
import { ApiError, request } from '../../api.ts';
import { foreign, tagHref } from '../../element.tsx';
import { listIn } from '../../format.ts';
import { announce } from '../../frame.tsx';
import { ErrorPlace } from '../../notice.tsx';
import { usePlace } from '../../place.ts';
import { useKeptFocus, useWork } from '../../work.tsx';
import type { LiveImport } from './live-import.ts';

export function ImportTags({ live }: { live: LiveImport }) {
  const { isOperator } = usePlace();
  const place = useKeptFocus();
  const work = useWork();
  const typed = useSignal('');
  const view = live.view.value;
  if (view === undefined || (!isOperator && view.tags.length === 0)) return null;
  const { id, tags } = view;

  const change = (changes: { add?: string[]; remove?: string[] }, done: string) =>
    work.start(async (signal) => {
      const body = JSON.stringify({ ids: [id], action: 'tag', tags: changes });
      const { results } = await request<BulkAnswer>('/v1/imports/actions', {
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
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = listIn(typed.peek());
    if (wanted.length > 0) void change({ add: wanted }, `Tagged ${wanted.join(', ')}.`);
  };
  return (
    <div class="import-tags" role="group" aria-label="Tags" ref={place}>
      {tags.map((tag) => (
        <span key={tag} class="tag own">
          <a href={tagHref(tag)}>{foreign(tag)}</a>
          {isOperator && (
            <button
              type="button"
              class="untag"
              aria-label={`Remove the tag ${tag}`}
              aria-disabled={work.busy}
              onClick={() => void change({ remove: [tag] }, `Removed the tag ${tag}.`)}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {isOperator && (
        <form class="joined" onSubmit={add}>
          <input
            type="text"
            aria-label="Tags to add, separated by commas"
            placeholder="Add tags: choir, term 1"
            value={typed.value}
            maxLength={200}
            spellcheck={false}
            autocapitalize="none"
            autocomplete="off"
            onInput={({ currentTarget }) => {
              typed.value = currentTarget.value;
            }}
          />
          <button type="submit" aria-disabled={work.busy}>
            Add
          </button>
        </form>
      )}
      <ErrorPlace error={work.error} />
    </div>
  );
}
