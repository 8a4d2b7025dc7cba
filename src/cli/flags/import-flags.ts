import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { chosenOptions, type ImportOptions } from '../../imports/import-options.ts';
import { CREATION, type CreateChoices } from '../../options/create-options.ts';
import { type Given, textsOf } from '../../options/option.ts';
import { CONTENT, type ReadingChoices, SHAPE } from '../../options/reading-options.ts';
import {
  type BanChoices,
  CHECKING,
  DEFAULT_MAX_CALLS,
  EXPECTING,
  type ExpectingChoices,
  type SENDING,
} from '../../options/sending-options.ts';
import type { Config } from '../../platform/config.ts';
import { addressName } from '../../text/address-text.ts';
import { STANDARD_INPUT } from '../fetched-file.ts';
import { recipeToSend } from '../recipe-options.ts';
import type { RunningFlags } from './flags.ts';
import { type RecipeFlags, withOptions } from './option-flags.ts';
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

const SENT = { ...CONTENT, ...SHAPE, ...EXPECTING, ...CREATION };

/** Returns the API's query for what imports and syncs have in common. @throws BAD_RECIPE */
export async function readingQuery(
  file: string,
  flags: ReadingChoices & CreateChoices & RecipeFlags & ShapeFlags & ExpectingChoices,
): Promise<URLSearchParams> {
  const name = file === '-' ? STANDARD_INPUT : basename(addressName(file));
  const query = new URLSearchParams({ name });
  if (flags.recipe !== undefined) query.set('recipe', await recipeToSend(flags.recipe));
  for (const [option, text] of textsOf(SENT, { ...flags, shape: shapeOf(flags) })) query.append(option, text);
  return query;
}

export interface CheckFlags extends Given<typeof CHECKING> {
  readonly yes?: true;
}

/** Adds the flags that limit the cost of a check. */
export function withCheckCost(command: Command) {
  return withOptions(
    command.addOption(new Option('--yes', 'check however many calls it takes').conflicts('maxCalls')),
    CHECKING,
  );
}

export function maxCallsOf({ yes, maxCalls = DEFAULT_MAX_CALLS }: CheckFlags) {
  return yes ? Number.POSITIVE_INFINITY : maxCalls;
}
