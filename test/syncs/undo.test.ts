import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import { guardPlan } from '../../src/features/sync/plan/plan-guards.ts';
import { openPlanLedger, type PlanLedger } from '../../src/features/sync/plan/plan-ledger.ts';
import { CHANGES_COLUMNS, changesCsv } from '../../src/features/sync/plan/plan-tables.ts';
import { type Action, SCOPES, type Scope } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import { runs } from '../runs.ts';
import { tempDir } from '../temp-dir.ts';
import {
  actionsOf,
  applied,
  CSV,
  DEFAULT_FLAGS,
  type FileRow,
  fileRows,
  type Live,
  list,
  people,
  planned,
  stage,
} from './planning.ts';

/** A row of an import and what came of it. */
interface Done extends FileRow {
  readonly outcome: string;
}

const EDITS = {
  ...CSV,
  columns: CHANGES_COLUMNS,
  recognised: { region: 'region', guid: 'guid', uid: 'uid', scope: 'scope', action: 'action' },
};

/** The ledger of an import with these rows. */
function ended(rows: readonly Done[], input = CSV, uncertainty = '', isSilent = false): string {
  const ledger = stage(join(tempDir(), 'import.sqlite'), rows, input, isSilent);
  const database = new DatabaseSync(ledger);
  database.exec(
    `pragma synchronous = off; insert or ignore into outcomes values (9, 'changed'), (10, 'removed'), (11, 'unbanned')`,
  );
  const settle = database.prepare(
    'update memberships set outcome_id = (select id from outcomes where name = ?) where row_id = ?',
  );
  for (const [index, { outcome }] of rows.entries()) settle.run(outcome, index + 1);
  if (uncertainty !== '') database.prepare('update batches set uncertainty = ?').run(uncertainty);
  database.close();
  return ledger;
}

/** The plan that takes back an import with these rows. @param later ledgers of later imports */
function undone(
  rows: readonly Done[],
  live: Live,
  flags: Partial<PlanFlags> = {},
  input = CSV,
  uncertainty = '',
  later: readonly string[] = [],
): PlanLedger {
  const ledger = ended(rows, input, uncertainty);
  const path = join(tempDir(), 'plan.sqlite');
  const plan = openPlanLedger(path);
  plan.database.exec('pragma synchronous = off');
  onTestFinished(() => plan.close());
  plan.begin('undone', ledger, { file: 'import 17', hash: '', size: 0 });
  list(plan, live);
  makePlan({ path, kind: 'undo', from: ledger, flags: { ...DEFAULT_FLAGS, ...flags }, later });
  return plan;
}

/** A row of an import of edits. */
function edit(uid: string, action: Action, from: Place, scope: Scope, outcome: string): Done {
  return { uid, scope, action, outcome, cells: ['us', 'team', uid, scope, action, from, 'because'] };
}

const why = (plan: PlanLedger) =>
  plan
    .actions()
    .map(({ uid, reason }) => `${uid}: ${reason}`)
    .toArray();

describe('taking back an import', () => {
  test('removes those whom it added, and no one who was there before or joined since', () => {
    const rows = [
      ...fileRows(people(2)).map((row) => ({ ...row, outcome: 'added' })),
      { uid: 'old', outcome: 'already_member' },
      { uid: 'unknown', outcome: 'failed' },
      { uid: 'late', outcome: 'unprocessed' },
    ];
    const plan = undone(rows, {
      team: { members: { ...people(2), old: 'participant', late: 'participant', new: 'admin' } },
    });
    expect(actionsOf({ plan }, true)).toEqual(['u1: remove participant>', 'u2: remove participant>']);
    expect(plan.facts()).toMatchObject({ file: 'import 17', rows: 5, invalid: 0, flags: { mode: 'undo' } });
  });

  test('leaves alone who has got another scope since, was banned, or left', () => {
    const rows = ['raised', 'banned', 'left'].map((uid) => ({ uid, outcome: 'added' }));
    const plan = undone(rows, { team: { members: { raised: 'moderator', banned: 'ban' } } });
    expect(why(plan)).toEqual(['banned: undo_moved', 'left: undo_nothing', 'raised: undo_moved']);
  });

  test('removes an admin whom it made one, but neither the owner nor a protected member', () => {
    const rows = ['boss', 'anna', 'bob'].map((uid) => ({ uid, scope: 'admin' as const, outcome: 'added' }));
    const live: Live = { team: { owner: 'BOSS', members: { boss: 'admin', anna: 'admin', bob: 'admin' } } };
    expect(actionsOf({ plan: undone(rows, live, { protect: ['Bob'] }) }, true)).toEqual([
      'anna: remove admin>',
      'bob: report admin>',
      'boss: report admin>',
    ]);
  });

  test('lifts a ban, whoever it was before, and reports a row without an answer', () => {
    const rows = [
      { uid: 'anna', scope: 'ban' as const, outcome: 'banned' },
      { uid: 'bob', outcome: 'unconfirmed' },
    ];
    const plan = undone(rows, { team: { members: { anna: 'ban', bob: 'participant' } } }, { allowUnban: true });
    expect(why(plan)).toEqual(['anna: undo_ban_unrecorded', 'bob: undo_unconfirmed']);
  });

  test('reports who was there already after a call that may have added them, and only them', () => {
    const rows = ['anna', 'bob', 'left'].map((uid) => ({ uid, outcome: 'already_member' }));
    const live: Live = { team: { members: { anna: 'participant', bob: 'admin' } } };
    const plan = undone(rows, live, {}, CSV, 'an earlier call got no usable answer');
    expect(actionsOf({ plan }, true)).toEqual(['anna: report participant>']);
    expect(why(plan)).toEqual(['anna: undo_uncertain']);
    expect(why(undone(rows, live))).toEqual([]);
  });

  test('takes back what a call without an answer may have done, where it is asked to', () => {
    const uncertainty = 'an earlier call got no usable answer';
    const rows = [
      ...['anna', 'bob', 'left', 'owner'].map((uid) => ({ uid, outcome: 'already_member' })),
      ...['dan', 'eve'].map((uid) => ({ uid, outcome: 'unconfirmed' })),
    ];
    const members = { anna: 'participant', bob: 'admin', owner: 'participant', dan: 'participant' } as const;
    const live: Live = { team: { owner: 'owner', members } };
    const plan = undone(rows, live, { includeUncertain: true }, CSV, uncertainty);
    expect(why(plan)).toEqual([
      'anna: undo_perhaps_added',
      'dan: undo_perhaps_added',
      'eve: undo_nothing',
      'owner: spared_owner',
    ]);
    expect(actionsOf({ plan })).toEqual(['anna: remove participant>', 'dan: remove participant>']);
    expect(why(undone(rows, live, { includeUncertain: true }))).not.toContain('anna: undo_perhaps_added');
  });

  test.each([false, true])(
    'leaves members whom a later import names too (silent: %s), unless they are named explicitly',
    (isSilent) => {
      const rows = ['anna', 'bob', 'cleo'].map((uid) => ({ uid, outcome: 'added' }));
      const later = [
        { uid: 'ANNA', outcome: 'already_member' },
        { uid: 'bob', outcome: 'failed' },
        { uid: 'cleo', outcome: 'already_member' },
      ];
      const live: Live = { team: { members: { anna: 'participant', bob: 'participant', cleo: 'participant' } } };
      const plan = undone(rows, live, { removeNamed: ['cleo'] }, CSV, '', [ended(later, CSV, '', isSilent)]);
      expect(why(plan)).toEqual(['anna: spared_claimed', 'bob: undo_added', 'cleo: undo_added']);
    },
  );

  test('does not take a column named “from” of an ordinary import for its journal', () => {
    const rows = [
      { uid: 'anna', scope: 'ban' as const, outcome: 'banned', cells: ['team', 'anna', 'ban', 'moderator'] },
    ];
    const input = { ...CSV, columns: [...CSV.columns, 'from'] };
    const plan = undone(rows, { team: { members: { anna: 'ban' } } }, { allowUnban: true }, input);
    expect(why(plan)).toEqual(['anna: undo_ban_unrecorded']);
  });

  test('is held by the guards where others have done something since, and else empties groups that were empty', () => {
    const rows = fileRows(people(6)).map((row) => ({ ...row, outcome: 'added' }));
    const held = (plan: PlanLedger) => guardPlan(plan).map(({ guard }) => guard);
    expect(held(undone(rows, { team: { members: people(6) } }))).toEqual([]);
    const raised: Live = { team: { members: { ...people(6), u6: 'admin' } } };
    expect(held(undone(rows, raised))).toEqual(['emptied-groups', 'group-removals']);
    const claim = [ended([{ uid: 'u6', outcome: 'already_member' }])];
    expect(held(undone(rows, { team: { members: people(6) } }, {}, CSV, '', claim))).toEqual([
      'emptied-groups',
      'group-removals',
    ]);
    const perhaps = rows.map((row) => ({ ...row, outcome: 'unconfirmed' }));
    expect(held(undone(perhaps, { team: { members: people(6) } }, { includeUncertain: true }))).toEqual([
      'emptied-groups',
      'group-removals',
    ]);
    expect(held(undone(rows.slice(0, 2), { team: { members: { ...people(50), u1: 'admin' } } }))).toEqual([]);
  });

  test('does nothing in a group that is gone', () => {
    const plan = undone([{ uid: 'anna', outcome: 'added' }], {});
    expect(actionsOf({ plan }, true)).toEqual([]);
    expect(plan.groups()).toMatchObject([{ guid: 'team', listing: 'not_found' }]);
  });
});

describe('taking back an import of edits', () => {
  test('goes by the place that its journal names', () => {
    const rows = [
      edit('added', 'add', '', 'participant', 'added'),
      edit('banned', 'add', 'moderator', 'ban', 'banned'),
      edit('outsider', 'add', '', 'ban', 'banned'),
      edit('pardoned', 'add', 'ban', 'participant', 'added'),
      edit('promoted', 'change', 'participant', 'admin', 'changed'),
      edit('removed', 'remove', 'moderator', 'participant', 'removed'),
    ];
    const members = {
      added: 'participant',
      banned: 'ban',
      outsider: 'ban',
      pardoned: 'participant',
      promoted: 'admin',
    } as const;
    expect(actionsOf({ plan: undone(rows, { team: { members } }, { allowUnban: true }, EDITS) }, true)).toEqual([
      'added: remove participant>',
      'banned: add ban>moderator',
      'outsider: change ban>',
      'pardoned: ban participant>ban',
      'promoted: change admin>participant',
      'removed: add >moderator',
    ]);
  });

  test('bans whoever was banned before', () => {
    const rows = [edit('outsider', 'unban', 'ban', 'participant', 'unbanned')];
    expect(actionsOf({ plan: undone(rows, { team: { members: {} } }, {}, EDITS) }, true)).toEqual([
      'outsider: ban >ban',
    ]);
  });

  test('lifts no ban unless asked to', () => {
    const rows = [edit('banned', 'add', 'moderator', 'ban', 'banned')];
    expect(why(undone(rows, { team: { members: { banned: 'ban' } } }, {}, EDITS))).toEqual(['banned: undo_ban_stays']);
  });

  const UIDS = ['anna', 'bob', 'cleo', 'dan'];
  const members = fc.dictionary(fc.constantFrom(...UIDS), fc.constantFrom(...SCOPES), { noNullPrototype: true });

  test('brings back the state before', () => {
    fc.assert(
      fc.property(
        members,
        fc.dictionary(fc.constantFrom(...UIDS), fc.constantFrom(...SCOPES), { minKeys: 1, noNullPrototype: true }),
        (before, wanted) => {
          const sync = planned(
            fileRows(wanted),
            { team: { members: before } },
            {
              mode: 'mirror',
              missing: 'remove',
              allowDemotion: true,
              allowUnban: true,
              removeNamed: UIDS,
            },
          );
          const after = applied(sync.plan, { team: { members: before } });
          const rows = editsOf(sync.plan);
          const plan = undone(rows, after, { allowUnban: true }, EDITS);
          // Nothing was sent, so that there is nothing to take back.
          const back = rows.length === 0 ? after : applied(plan, after);
          expect(back['team']?.members).toEqual(before);
          sync.plan.close();
          plan.close();
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

/** The plan's changes as rows of the import that carries them out, each with its success. */
function editsOf(plan: PlanLedger): Done[] {
  const rows: string[][] = parse([...changesCsv(plan)].join(''), { from_line: 2 });
  return rows.map((cells) => {
    const [, , uid = '', scope = '', action = ''] = cells;
    const outcome =
      action === 'add' ? (scope === 'ban' ? 'banned' : 'added') : action === 'change' ? 'changed' : 'removed';
    return { uid, action: action as Action, scope: scope === '' ? 'participant' : (scope as Scope), outcome, cells };
  });
}
