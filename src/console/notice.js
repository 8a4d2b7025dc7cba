/** What went wrong, where the user looks, with what to do next. */
import { ApiError } from './api.js';
import { Empty, h } from './element.js';

/** @param {{ error: unknown }} properties */
export function ErrorNotice({ error }) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  return h(
    'div',
    { class: 'notice attention' },
    h('p', null, h('b', null, problem?.detail ?? (error instanceof Error ? error.message : String(error)))),
    problem?.remedy !== undefined && problem.remedy !== '' && h('p', null, problem.remedy),
  );
}

/** A place for one error or none (undefined); what is shown in it is read out. @param {{ error: unknown }} properties */
export function ErrorPlace({ error }) {
  return h('div', { role: 'alert' }, error !== undefined && h(ErrorNotice, { error }));
}

/**
 * What stands where a list is not yet or not at all: why it could not be read, that it is being read, or that it is
 * empty.
 * @param {{ error: unknown, items: readonly unknown[] | undefined, empty: string }} properties
 */
export function ListState({ error, items, empty }) {
  return h(
    'div',
    { role: 'status' },
    error !== undefined && h(ErrorNotice, { error }),
    error === undefined && items === undefined && h(Empty, {}, 'Loading …'),
    items?.length === 0 && h(Empty, {}, empty),
  );
}
