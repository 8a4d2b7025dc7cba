/**
 * Hurts imports in every way that is known, and compares every row with the journal of an independent service.
 *
 * Run    `node test/campaign/campaign.ts [part of a blow's name]`; settings: CAMPAIGN_ROWS (6000), CAMPAIGN_RUNS (1),
 *        CAMPAIGN_SEED (1), CAMPAIGN_OUTAGE_S (60)
 * Read   one line for each blow; `lost`, `twice` and `wrong` must be 0, `given up` and `unconfirmed` should be, and
 *        `help` is how often a person would have had to start a command again
 */
import { BLOWS, lacking } from './blows.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const setting = (name: string, fallback: number) => Number(process.env[name] ?? fallback);

const wanted = process.argv[2] ?? '';
const runs = setting('CAMPAIGN_RUNS', 1);
const firstSeed = setting('CAMPAIGN_SEED', 1);
const options = { rows: setting('CAMPAIGN_ROWS', 6_000), outageMs: 1_000 * setting('CAMPAIGN_OUTAGE_S', 60) };
say('| blow | runs | rows | lost | twice | wrong | given up | unconfirmed | duplicate adds | help | s |');
say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
let failed = false;
for (const [name, blow] of Object.entries(BLOWS)) {
  if (!name.includes(wanted)) continue;
  const lacks = lacking(name);
  if (lacks !== undefined) {
    say(`| ${name} | not run: it needs ${lacks} | | | | | | | | | |`);
    continue;
  }
  const startedAt = performance.now();
  const sum = { rows: 0, lost: 0, twice: 0, wrong: 0, givenUp: 0, unconfirmed: 0, duplicateAdds: 0, help: 0 };
  const examples: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const result = await blow({ ...options, seed: firstSeed + run });
    for (const field of ['rows', 'lost', 'twice', 'givenUp', 'unconfirmed', 'duplicateAdds', 'help'] as const) {
      sum[field] += result[field];
    }
    sum.wrong += result.wrong.length;
    examples.push(...result.wrong.slice(0, 3));
  }
  failed ||= sum.lost + sum.twice + sum.wrong > 0;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  say(`| ${[name, runs, ...Object.values(sum), seconds].join(' | ')} |`);
  for (const example of examples) say(`  ${example}`);
}
process.exitCode = failed ? 1 : 0;
