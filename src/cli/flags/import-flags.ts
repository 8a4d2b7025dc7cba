import { chosenOptions, type ImportOptions } from '../../imports/import-options.ts';
import type { BanChoices } from '../../options/ban-options.ts';
import type { CreateChoices } from '../../options/create-options.ts';
import type { Given } from '../../options/option.ts';
import type { ReadingChoices } from '../../options/reading-options.ts';
import type { ExpectingChoices, SENDING } from '../../options/sending-options.ts';
import type { Config } from '../../platform/config.ts';
import type { CheckFlags } from './check-flags.ts';
import type { RunningFlags } from './flags.ts';
import type { RecipeFlags } from './option-flags.ts';
import { type ShapeFlags, shapeOf } from './shape-flags.ts';
import type { SourceFlags } from './source-flags.ts';

export interface ImportFlags
  extends BanChoices,
    CheckFlags,
    ReadingChoices,
    CreateChoices,
    ShapeFlags,
    Given<typeof SENDING>,
    RunningFlags,
    RecipeFlags,
    ExpectingChoices,
    SourceFlags {
  readonly check?: true;
  readonly detach?: true;
  readonly tag?: readonly string[];
}

/** The options of an import, as its flags and the settings say. */
export function importOptionsOf(config: Config, flags: ImportFlags): ImportOptions {
  return chosenOptions(
    { ...flags, shape: shapeOf(flags), dryRun: flags.dryRun === true || flags.check === true },
    { region: config.defaultRegion, sandbox: flags.sandbox === true },
  );
}
