/** Advice after a refusal, for someone who sees pages and not requests. Pure. */
import type { Problem } from './answers.ts';
import { withControls } from './option-words.ts';

/** A refusal as people can use it. */
export function forPeople<P extends Pick<Problem, 'remedy' | 'onPages'>>(problem: P): P {
  return { ...problem, remedy: withControls(problem.onPages ?? problem.remedy ?? '') };
}

/** A refusal as one text. */
export function saidOf(problem: Pick<Problem, 'detail' | 'remedy' | 'onPages'>) {
  const { detail, remedy = '' } = forPeople(problem);
  return remedy === '' ? detail : `${detail} ${remedy}`;
}

/** A refusal beside the field that it is about, whose name need not be said again. */
export function saidBeside({
  detail,
  field = '',
  ...problem
}: Pick<Problem, 'detail' | 'remedy' | 'onPages' | 'field'>) {
  const named = `${field} is `;
  return saidOf({ ...problem, detail: detail.startsWith(`${named}"`) ? detail.slice(named.length) : detail });
}
