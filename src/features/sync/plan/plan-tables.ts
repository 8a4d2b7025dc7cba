import type { Profiles } from '../../../imports/record/profile.ts';
import type { CreateField } from '../../../options/create-options.ts';
import { jsonDocument, writeTable } from '../../../platform/table.ts';
import { openThread } from '../../../platform/threads.ts';
import { isoTime } from '../../../text/wording.ts';
import type { PlanAction, PlanDocument } from '../api.ts';
import { type PlanTextOptions, planMarkdown, planText } from './plan-print.ts';
import { type ChangeChoice, openPlanReader, type PlanReader, placeOf } from './plan-reading.ts';
import { groupProblem } from './plan-totals.ts';

/** Columns of the input that an applied plan is imported from; read with the import option `edits`. */
export const CHANGES_COLUMNS = ['region', 'guid', 'uid', 'scope', 'action', 'from', 'reason'] as const;

/** Columns behind those of the changes, with what new users and groups are created with: by field. */
export const creationColumn = (field: CreateField) => `create_${field}`;

/** The plan as CSV: a line for each action, by group; a group that could not be listed has one line without a UID. */
export function planCsv(plan: PlanReader) {
  return writeTable(['region', 'group', 'uid', 'action', 'from', 'to', 'reason'], planRows(plan), 'csv');
}

function* planRows(plan: PlanReader) {
  for (const group of plan.groups()) {
    const problem = groupProblem(group);
    if (problem !== '') yield [group.region, group.guid, '', 'report', '', '', problem];
  }
  for (const { region, guid, uid, action, from, to, sentence } of plan.actions()) {
    yield [region, guid, uid, action, from, to, sentence];
  }
}

/**
 * The plan's changes as the input of an import: CHANGES_COLUMNS, `action` being add, change, remove or unban. A ban is an
 * `add` with the scope `ban`; a removal has no scope, nor has an unban that leaves the user outside the group. `from` is the place before, empty outside the group and `ban` for a banned user:
 * an undo uses it. An undo's also has whom it leaves in their place, with the action `report`: its import skips these and
 * reports them.
 * @param chosen which of the changes; default: all
 * @param profiles of the staged file, where users or groups may be created
 *
 * Cells are exact: the import does not run formulas, and an apostrophe would become part of a name.
 */
export function changesCsv(plan: PlanReader, chosen: ChangeChoice = () => true, profiles?: Profiles) {
  const fields = profiles?.fields() ?? [];
  let begun = 0;
  const sent = plan
    .changes()
    .filter(chosen)
    .map((change) => {
      const { region, guid, uid, action, from, to, sentence, row, group, isNew } = change;
      const ofUser = action === 'add' && row !== null ? profiles?.rowOf(row).cells : undefined;
      // The fields of a new group are in the first of its lines.
      const ofGroup = isNew === 1 && group !== begun ? profiles?.ofGroup(group) : undefined;
      begun = group;
      const created = fields.map((field) => (field.startsWith('group_') ? ofGroup : ofUser)?.[field] ?? '');
      return [region, guid, uid, to, editOf(change), from, sentence, ...created];
    });
  const left = plan
    .actions(plan.facts().flags?.mode === 'undo' ? ['report'] : [])
    .map(({ region, guid, uid, action, from, sentence }) => [region, guid, uid, '', action, from, sentence]);
  const rows = (function* () {
    yield* sent;
    yield* left;
  })();
  return writeTable([...CHANGES_COLUMNS, ...fields.map(creationColumn)], rows, 'csv', { exact: true });
}

function editOf({ action, to }: Pick<PlanAction, 'action' | 'to'>) {
  if (action === 'ban') return 'add';
  return action === 'change' && to === '' ? 'unban' : action;
}

/** All users in these groups as the plan found them, as rows that `import` and `sync` read. */
export function beforeCsv(plan: PlanReader, groups: readonly number[]) {
  const members = groups.values().flatMap((group) => plan.live(group));
  const rows = members.map(({ uid, guid, place, region }) => [uid, guid, placeOf(place), region]);
  return writeTable(['uid', 'guid', 'scope', 'region'], rows, 'csv');
}

export interface PlanDownload {
  readonly path: string;
  readonly format: 'csv' | 'json' | 'markdown' | 'text';
  readonly text: PlanTextOptions;
}

/** A plan as a file, made as its pieces are taken. */
export function* planPieces({ path, format, text }: PlanDownload) {
  using plan = openPlanReader(path);
  if (format === 'text') yield planText(plan, text);
  else if (format === 'markdown') yield planMarkdown(plan);
  else yield* format === 'csv' ? planCsv(plan) : planJson(plan);
}

/** The plan as one JSON document (`planDocument`), one group or action a line. */
export function planJson(plan: PlanReader) {
  const { plannedAt, fields: _, notes: __, ...source } = plan.facts();
  const groups = plan.groups();
  const findings = plan.findings();
  const head: Omit<PlanDocument, 'groups' | 'actions'> = {
    ...source,
    plannedAt: isoTime(plannedAt),
    held: findings.length > 0,
    totals: plan.totals(groups),
    findings,
  };
  const actions = plan.actions().map((action) => JSON.stringify(action));
  return jsonDocument(head, { groups: groups.map(({ id: _, ...group }) => JSON.stringify(group)), actions });
}

/** The thread that writes one plan. */
export type PlanDownloadThread = { plan: (download: PlanDownload) => Generator<string> };

/**
 * The bytes of a plan, in chunks of some 64 KB, made as they are taken, by a thread of their own: counting a large plan
 * takes SQLite seconds. A caller that does not take them all must call `return`. Rejects with LEDGER_MISSING, DAMAGED_LEDGER where it is damaged.
 */
export async function* planBytes(download: PlanDownload) {
  const thread = openThread<PlanDownloadThread>(import.meta.url, './plan-thread');
  try {
    yield* thread.stream('plan', download);
  } finally {
    await thread.end();
  }
}
