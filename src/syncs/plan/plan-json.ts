import { z } from 'zod';
import { REGIONS, SCOPES } from '../../membership/membership.ts';
import { inChunks } from '../../text/chunks.ts';
import type { ActionChoice, PlanReader } from './plan-reading.ts';
import { planTotals } from './plan-totals.ts';
import { ACTIONS, REASONS, type ReasonName } from './reasons.ts';

const count = z.int().min(0);
const region = z.enum(REGIONS);
const place = z.enum(['', ...SCOPES]);
const actionCounts = z.strictObject({
  add: count,
  change: count,
  keep: count,
  remove: count,
  ban: count,
  report: count,
});

/** A plan as JSON: what `planJson` writes. */
export const planDocument = z.strictObject({
  file: z.string(),
  hash: z.string(),
  size: count,
  rows: count,
  invalid: count,
  plannedAt: z.iso.datetime().nullable(),
  flags: z
    .strictObject({
      mode: z.enum(['add', 'mirror', 'undo']),
      missing: z.enum(['report', 'remove', 'ban']),
      allowDemotion: z.boolean(),
      allowUnban: z.boolean(),
      protect: z.array(z.string()),
      removeByName: z.array(z.string()),
    })
    .nullable(),
  /** Whether a guard objects. */
  held: z.boolean(),
  totals: z.strictObject({
    groups: count,
    unlisted: count,
    members: count,
    actions: actionCounts,
    right: count,
    changes: count,
  }),
  findings: z.array(
    z.strictObject({
      guard: z.string(),
      region: region.nullable(),
      guid: z.string().nullable(),
      value: z.number(),
      limit: z.number(),
      sentence: z.string(),
    }),
  ),
  groups: z.array(
    z.strictObject({
      region,
      guid: z.string(),
      listing: z.enum(['pending', 'listed', 'not_found', 'failed']),
      code: z.string(),
      message: z.string(),
      owner: z.string().nullable(),
      wanted: count,
      members: count,
      actions: actionCounts,
      right: count,
      leaving: count,
      lowered: count,
      staying: count,
      ownerHit: z.boolean(),
    }),
  ),
  actions: z.array(
    z.strictObject({
      region,
      guid: z.string(),
      uid: z.string(),
      action: z.enum(ACTIONS),
      from: place,
      to: place,
      reason: z.enum(Object.keys(REASONS) as [ReasonName, ...ReasonName[]]),
      sentence: z.string(),
      line: count.nullable(),
    }),
  ),
});
type PlanDocument = z.infer<typeof planDocument>;

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
    flags: flags === null ? null : { ...flags, protect: [...flags.protect], removeByName: [...flags.removeByName] },
    held: findings.length > 0,
    totals: planTotals(groups),
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
