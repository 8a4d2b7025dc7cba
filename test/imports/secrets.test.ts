import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { createLog } from '../../src/platform/log.ts';
import { csv, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  test('no API key is in any byte of the data directory, in a reason or in the log, though the service repeats it', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'debug', stream: { write: (line) => lines.push(line) } });
    const pipeline = await openPipeline({
      place,
      log,
      sandbox: { behaviour: { echoKey: true }, faults: 'reset-after=2,too-many=1,omit-uid=1' },
    });
    const { sandbox, dir, run, coordinator } = pipeline;
    const completed = await run(csv(participants(200)));
    // A key without the scope for this is refused with a text that repeats the key.
    await pipeline.stop();
    await pipeline.restart({ apiKeys: { us: sandbox.apps.us.authOnlyKey } });
    const blocked = await pipeline.run(csv(participants(200)));
    expect([completed.state, blocked.state]).toEqual(['completed', 'blocked']);
    expect(blocked.reason).toContain('[redacted]');
    expect(coordinator).not.toBe(pipeline.coordinator);

    const keys = Object.values(sandbox.apps).flatMap(({ apiKey, authOnlyKey }) => [apiKey, authOnlyKey]);
    const leaks = () =>
      readdirSync(dir.root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => keys.some((key) => readFileSync(path).includes(key)));
    expect(leaks()).toEqual([]);
    expect(lines.join('')).toContain('region stopped');
    expect(lines.filter((line) => keys.some((key) => line.includes(key)))).toEqual([]);
    await pipeline.stop();
    expect(leaks()).toEqual([]);
    const catalog = openCatalogReader(dir.catalog);
    expect(JSON.stringify(catalog.list(10))).not.toMatch(new RegExp(keys.join('|')));
    catalog.close();
  });
});
