/**
 * The time and memory of making a plan with a memory of memberships, beside the same plan without one: by hand.
 * `node bench/ownership.ts [memberships, default: 1,000,000]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planFlags } from '../src/api/sync-entry.ts';
import { MEMORY_SCHEMA } from '../src/features/sync/memory/memory.ts';
import { makePlan } from '../src/features/sync/plan/make-plan.ts';
import { openPlanLedger } from '../src/features/sync/plan/plan-ledger.ts';
import { IMPORT_SCHEMA } from '../src/imports/schemas.ts';
import { openForWriting } from '../src/platform/sqlite.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const GROUP = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-ownership-'));
const [desired, memory, path] = ['desired.sqlite', 'memberships.sqlite', 'plan.sqlite'].map((name) =>
  join(folder, name),
) as [string, string, string];
const each = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
const groups = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${Math.ceil(count / GROUP)})`;
const member = `i / ${GROUP} + 1 as g, printf('u%06d', i % ${GROUP}) as uid`;

const staged = openForWriting(desired, IMPORT_SCHEMA, 'soon');
staged.exec(`
  insert into input (id, format, kind, delimiter, columns, recognised, notes) values (1, 'csv', 'csv', ',', '[]', '{}', '[]');
  ${groups} insert into groups (id, region_id, guid) select i, 1, 'g' || i from n;
  insert into call_groups (id, group_id, on_behalf_of, action_id) select id, id, '', 1 from groups;
  ${each} insert into rows (id, line, region_id, group_id, call_group_id, scope_id, uid, original)
    select i + 1, i + 2, 1, g, g, 3, uid, '' from (select i, ${member} from n) where i % 100 <> 7;
`);
staged.close();
const remembered = openForWriting(memory, MEMORY_SCHEMA, 'soon');
remembered.exec(`
  ${groups} insert into groups select i, 'nightly', 'app', 'us', 'g' || i from n;
  ${each} insert into made select g, uid, 3, 0, 0 from (select ${member} from n);
`);
remembered.close();
const plan = openPlanLedger(path);
plan.begin('desired', desired, { file: 'members.csv', hash: '', size: 0 });
plan.database.exec(`
  ${each} insert into members (group_id, uid, scope) select g, uid, 'participant' from (select i, ${member} from n) where i % 100 <> 9;
  update groups set state = 'found', members_known = 1, bans_known = 1, facts = '{"owner":""}';
`);
plan.settle();

const FLAGS = { mode: 'mirror', missing: 'remove' } as const;
const WAYS = {
  today: FLAGS,
  ours: { ...FLAGS, syncName: 'nightly', whose: 'ours', left: 'keep-out', changed: 'keep' } as const,
};
for (let round = 1; round <= 2; round++) {
  for (const [way, flags] of Object.entries(WAYS)) {
    const before = process.cpuUsage();
    makePlan({
      path,
      kind: 'file',
      from: desired,
      flags: planFlags.parse(flags),
      memory: { memory, apps: '{"us":"app"}' },
    });
    const { user, system } = process.cpuUsage(before);
    const reasons = plan.database.prepare('select reason, count(*) as n from actions group by 1').all();
    process.stdout.write(`${way}: ${((user + system) / 1e6).toFixed(2)} s of CPU, ${JSON.stringify(reasons)}\n`);
  }
}
process.stdout.write(`${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most\n`);
plan.close();
rmSync(folder, { recursive: true });
