import type { Command } from 'commander';

export interface RecipeFlags {
  readonly recipe?: string;
}

/** For commands that read a file. */
export function withRecipeFlag(command: Command): Command {
  return command.option(
    '--recipe <name>',
    'settings for the export of another system; `rollcall recipes` lists them, other flags go before them',
  );
}
