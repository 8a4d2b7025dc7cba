/** What went wrong, where the user looks, with what to do next. */
import { ApiError } from './api.js';
import { h } from './element.js';

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
