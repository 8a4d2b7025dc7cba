import type { ImportOptions } from '../../imports/import-options.ts';
import { type BanChoices, banOptionsOf } from '../../options/ban-options.ts';
import { type CreateChoices, createOptionsOf } from '../../options/create-options.ts';
import { type Given, keptOf } from '../../options/option.ts';
import { READING, type ReadingChoices } from '../../options/reading-options.ts';
import {
  EXPECTING,
  type ExpectingChoices,
  GIVING_UP,
  type HELD,
  REMOVING,
  type RemovingChoices,
  type ReportingChoices,
  STOPPING,
  TRIAL,
  type TrialChoices,
} from '../../options/sending-options.ts';
import type { Config } from '../../platform/config.ts';
import type { CheckFlags } from './check-flags.ts';
import type { CommonFlags, SandboxFlags, SendingFlags, ServerFlags, WorkersFlags } from './flags.ts';
import type { RecipeFlags } from './option-flags.ts';
import { type ShapeFlags, shapeOf } from './shape-flags.ts';
import type { SourceFlags } from './source-flags.ts';

export interface ImportFlags
  extends BanChoices,
    CheckFlags,
    CommonFlags,
    ServerFlags,
    ReadingChoices,
    CreateChoices,
    ShapeFlags,
    TrialChoices,
    Given<typeof HELD>,
    RemovingChoices,
    SandboxFlags,
    SendingFlags,
    WorkersFlags,
    RecipeFlags,
    ExpectingChoices,
    ReportingChoices,
    SourceFlags {
  readonly check?: true;
  readonly detach?: true;
  readonly tag?: readonly string[];
}

const KEPT = { ...READING, ...EXPECTING, ...STOPPING, ...GIVING_UP, ...REMOVING, ...TRIAL };

/** The options of an import, as its flags and the settings say. */
export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  const create = createOptionsOf(flags);
  const shape = shapeOf(flags);
  return {
    format: 'auto',
    map: {},
    region: config.defaultRegion,
    ...keptOf(KEPT, flags),
    dryRun: flags.dryRun === true || flags.check === true,
    sandbox: flags.sandbox === true,
    ...(create !== undefined && { create }),
    ...banOptionsOf(flags),
    ...(shape !== undefined && { shape }),
  };
}
