/** What went wrong, where the user looks, with what to do next. */
import { ApiError } from './api.js';
import { fill, h } from './element.js';

/** A place for one error or none; what is shown in it is read out. */
export function errorPlace() {
  const element = h('div', { role: 'alert' });
  return {
    element,
    /** @param {unknown} error */
    show: (error) => fill(element, errorNotice(error)),
    clear: () => fill(element),
  };
}

/** @param {unknown} error */
export function errorNotice(error) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  return h(
    'div',
    { class: 'notice attention' },
    h('p', {}, h('b', {}, problem?.detail ?? String(error))),
    problem?.remedy && h('p', {}, problem.remedy),
  );
}
