import { banOptionsOf } from '../../imports/ban-options.ts';
import { createOptionsOf } from '../../imports/create-texts.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import type { Config } from '../../platform/config.ts';
import type { BanFlags } from './ban-flags.ts';
import type { CheckFlags } from './check-flags.ts';
import type { CreateFlags } from './create-flags.ts';
import { fileOptionsOf } from './file-flags.ts';
import type {
  CommonFlags,
  ExpectRowsFlags,
  ReadingFlags,
  SandboxFlags,
  SendingFlags,
  ServerFlags,
  WorkersFlags,
} from './flags.ts';
import type { RecipeFlags } from './recipe-flags.ts';
import { type ShapeFlags, shapeOf, type TrialFlags } from './shape-flags.ts';

export interface ImportFlags
  extends BanFlags,
    CheckFlags,
    CommonFlags,
    ServerFlags,
    ReadingFlags,
    CreateFlags,
    ShapeFlags,
    TrialFlags,
    SandboxFlags,
    SendingFlags,
    WorkersFlags,
    RecipeFlags,
    ExpectRowsFlags {
  readonly dryRun?: true;
  readonly check?: true;
  readonly detach?: true;
  readonly tag?: readonly string[];
}

/** The options of an import, as its flags and the settings say. */
export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  const create = createOptionsOf(flags);
  const { guid, scope, encoding, delimiter, bound, waitForQuiet, onBehalfOf, maxErrors, giveUpAfter } = flags;
  const { first, only, maxRemovals, expectRows } = flags;
  const shape = shapeOf(flags);
  return {
    format: flags.format ?? 'auto',
    map: flags.map ?? {},
    region: flags.region ?? config.defaultRegion,
    dryRun: flags.dryRun === true || flags.check === true,
    sandbox: flags.sandbox === true,
    ...(guid !== undefined && { guid }),
    ...(scope !== undefined && { scope }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    ...(bound !== undefined && { bounds: bound }),
    ...(waitForQuiet !== undefined && { waitForQuietMs: waitForQuiet }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
    ...(maxErrors !== undefined && { maxErrors }),
    ...(giveUpAfter !== undefined && { giveUpAfterMs: giveUpAfter }),
    ...(expectRows !== undefined && { expectRows }),
    ...(create !== undefined && { create }),
    ...banOptionsOf(flags),
    ...fileOptionsOf(flags),
    ...(shape !== undefined && { shape }),
    ...(first !== undefined && { first }),
    ...(only !== undefined && { only }),
    ...(maxRemovals !== undefined && { maxRemovals }),
  };
}
