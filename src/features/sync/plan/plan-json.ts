import { inChunks } from '../../../text/chunks.ts';
import type { PlanDocument } from '../api-plan.ts';
import type { ActionChoice, PlanReader } from './plan-reading.ts';
import { planTotals } from './plan-totals.ts';

/** The plan as one JSON document (`planDocument`), one group or chosen action a line. Yields chunks of some 64 KB. */
export function planJson(plan: PlanReader, choice?: ActionChoice): Generator<string> {
  return inChunks(pieces(plan, choice));
}

function* pieces(plan: PlanReader, choice: ActionChoice | undefined): Generator<string> {
  const { flags, plannedAt, ...source } = plan.facts();
  const groups = plan.groups();
  const findings = plan.findings();
  const head: Omit<PlanDocument, 'groups' | 'actions'> = {
    file: source.file,
    hash: source.hash,
    size: source.size,
    rows: source.rows,
    invalid: source.invalid,
    plannedAt: plannedAt === null ? null : new Date(plannedAt).toISOString(),
    flags,
    held: findings.length > 0,
    totals: planTotals(groups, plan.creating(), source.invalid),
    findings,
  };
  yield `${JSON.stringify(head).slice(0, -1)},\n"groups":[`;
  yield* lines(groups);
  yield '\n],\n"actions":[';
  yield* lines(plan.actions(choice));
  yield '\n]}\n';
}

function* lines(items: Iterable<object>): Generator<string> {
  let separator = '\n';
  for (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ',\n';
  }
}
