/**
 * A nightly sync (`rollcall sync --mode mirror --missing remove --apply`, embedded queue) of many groups of which a small
 * part has changed, against a sandbox in this process: planned and carried out, then once more with nothing to do.
 *
 * Run   node bench/sync.ts [--groups 1000] [--members 200] [--percent 1]
 * Read  calls beside the fewest that listing and changing can do with: ceil(members / 1000) for each group, ceil(adds / 25)
 *       for each group, one for each removal and each change of scope. Above that come the questions who owns a group and
 *       who is banned from it, one of each in a group where a member is removed or changed, and in no other.
 *       Seconds, CPU and memory are those of the process that syncs; the sandbox shares the cores.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { line, run } from './measure.ts';

const { values } = parseArgs({
  options: {
    groups: { type: 'string', default: '1000' },
    members: { type: 'string', default: '200' },
    percent: { type: 'string', default: '1' },
  },
});
const groups = Number(values.groups);
const size = Number(values.members);
/** Half of the changes are additions; a quarter each are removals and changes of scope, together in every other group. */
const each = Math.max(1, Math.round((size * Number(values.percent)) / 100 / 2));

const uid = (group: number, member: number) => `u-${group}-${member}`;
const guid = (group: number) => `group-${group}`;
const members: Record<string, { participants: string[] }> = {};
const rows = ['guid,uid,scope'];
let fewest = 0;
let changes = 0;
for (let group = 0; group < groups; group += 1) {
  members[guid(group)] = { participants: Array.from({ length: size }, (_, member) => uid(group, member)) };
  const touched = group % 2 === 0 ? each : 0;
  for (let member = touched; member < size + each; member += 1) {
    rows.push(`${guid(group)},${uid(group, member)},${member < 2 * touched ? 'moderator' : 'participant'}`);
  }
  fewest += Math.ceil(size / 1000) + Math.ceil(each / 25) + 2 * touched;
  changes += each + 2 * touched;
}

const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
const sandbox = await startSandbox({
  users: 'any',
  seed: { regions: { us: { members } } },
  rateLimit: { calls: 10_000_000, perMs: 1_000 },
  caFile: join(folder, 'ca.pem'),
});
try {
  const file = join(folder, 'members.csv');
  await writeFile(file, rows.join('\n'));
  process.stdout.write(
    `${groups} groups, ${groups * size} members, ${rows.length - 1} rows, ${changes} changes\n${line('', 'calls', 'fewest', 'changes', 'seconds', 'CPU s', 'peak MB')}`,
  );
  // The queue is created once in a data directory, not in every sync.
  const warmUp = join(folder, 'warm-up.csv');
  await writeFile(warmUp, `guid,uid\n${guid(0)},${uid(0, 0)}\n`);
  const sync = (input: string) =>
    run(
      'rollcall-sync.ts',
      [
        input,
        join(folder, 'data'),
        '--mode',
        'mirror',
        '--missing',
        'remove',
        '--apply',
        '--calls-per-minute',
        '10000000',
      ],
      { ...sandbox.env },
    );
  await run('rollcall-sync.ts', [warmUp, join(folder, 'data')], { ...sandbox.env });
  for (const [name, least] of [
    ['night with changes', fewest],
    ['night without', groups * Math.ceil(size / 1000)],
  ] as const) {
    const before = sandbox.calls.us.requests;
    const { seconds, cpuSeconds, peakMb, count } = await sync(file);
    const cells = [sandbox.calls.us.requests - before, least, count].map(String);
    process.stdout.write(line(name, ...cells, seconds.toFixed(1), cpuSeconds.toFixed(1), peakMb.toFixed(0)));
  }
} finally {
  await sandbox.close();
  await rm(folder, { recursive: true });
}
