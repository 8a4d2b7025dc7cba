/** Advice after a refusal, for someone who sees pages and not requests. Pure. */
import { PROBLEMS, type ProblemCode } from '../api/problem-codes.ts';
import type { Problem } from './answers.ts';
import { withControls } from './option-words.ts';

/** A refusal as people can use it. A remedy of its own stays; the general one of its code has other words on pages. */
export function forPeople<P extends Pick<Problem, 'code' | 'remedy'>>(problem: P): P {
  const general: { remedy: string; onPages?: string } | undefined = PROBLEMS[problem.code as ProblemCode];
  const remedy = general?.remedy === problem.remedy ? general?.onPages : undefined;
  return { ...problem, remedy: withControls(remedy ?? problem.remedy ?? '') };
}

/** A refusal as one text. */
export function saidOf(problem: Pick<Problem, 'code' | 'detail' | 'remedy'>) {
  const { detail, remedy = '' } = forPeople(problem);
  return remedy === '' ? detail : `${detail} ${remedy}`;
}

/** A refusal beside the field that it is about, whose name need not be said again. */
export function saidBeside({ detail, field = '', ...problem }: Pick<Problem, 'code' | 'detail' | 'remedy' | 'field'>) {
  const named = `${field} is `;
  return saidOf({ ...problem, detail: detail.startsWith(`${named}"`) ? detail.slice(named.length) : detail });
}
