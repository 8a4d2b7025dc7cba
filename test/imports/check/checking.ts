import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { onTestFinished } from 'vitest';
import { checkOf, checkSummaryOf } from '../../../src/features/check/check-view.ts';
import { type Checks, openChecks } from '../../../src/features/check/checks.ts';
import type { CheckSummary } from '../../../src/features/check/operations.ts';
import type { ImportOptions } from '../../../src/imports/import-options.ts';
import { checkFiles } from '../../../src/imports/predictions/row-check.ts';
import { REGIONS } from '../../../src/membership/membership.ts';
import { EMBEDDED, openPipeline, type Pipeline, type PipelineOptions, type StartOptions } from '../pipeline-harness.ts';

export interface Checking extends Pipeline {
  readonly checks: Checks;
  /** Reads a file and sends nothing. Gives the id. */
  stage(content: string, options?: Partial<ImportOptions>): Promise<string>;
  /** Checks a staged import to its end. */
  check(id: string, maxCalls?: number): Promise<ReturnType<typeof checkOf>>;
  findings(id: string): Promise<CheckSummary | undefined>;
  /** Rows of check.csv. */
  found(id: string): Record<string, string>[];
  /** Calls that the service has seen, over all regions. */
  requests(): number;
}

/** Checks over a pipeline's workers. */
export async function openChecking(options: Partial<PipelineOptions> & StartOptions = {}): Promise<Checking> {
  const pipeline = await openPipeline({
    place: EMBEDDED,
    ...options,
    sandbox: { users: 0, groups: 0, ...options.sandbox },
  });
  let fault: unknown;
  const checks = openChecks({
    events: { progressed: () => () => {}, tell: () => {} },
    onError: (error) => {
      fault = error;
    },
    dir: pipeline.dir,
    coordinator: {
      find: (id) => pipeline.coordinator.find(id),
      pages: (...which) => pipeline.coordinator.pages(...which),
      sendsTo: pipeline.coordinator.sendsTo,
      regions: pipeline.coordinator.regions,
    },
    apps: Object.fromEntries((options.regions ?? REGIONS).map((region) => [region, {}])),
    pace: { callsPerMinute: 10_000, importsPerMinute: 60, concurrency: 300 },
  });
  onTestFinished(() => checks.works.stop());
  return {
    ...pipeline,
    get coordinator() {
      return pipeline.coordinator;
    },
    checks,
    stage: async (content, chosen) => (await pipeline.run(content, { dryRun: true, ...chosen })).id,
    check: async (id, maxCalls = 1_000_000) => {
      await checks.start(id, maxCalls);
      if (fault !== undefined) throw fault;
      return checkOf(pipeline.dir.folder(id));
    },
    findings: (id) => checkSummaryOf(pipeline.dir.folder(id)),
    found: (id) => parse(readFileSync(checkFiles(pipeline.dir.folder(id)).rows, 'utf8'), { columns: true }),
    requests: () => Object.values(pipeline.sandbox.calls).reduce((sum, { requests }) => sum + requests, 0),
  };
}
