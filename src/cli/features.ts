import type { CommandFeatures } from './feature.ts';

/** Additions of features to the commands of imports. Their own commands are in commands.ts. */
export const FEATURES: CommandFeatures = {
  recipes: async () => (await import('../features/recipes/commands/using-recipes.ts')).usingRecipes,
  inspect: async () => (await import('../features/inspect/commands/inspecting.ts')).inspecting,
  repair: async () => (await import('../features/repair/commands/retry-edits.ts')).editing,
  check: async () => (await import('../features/check/commands/checking-imports.ts')).checking,
  sync: async () => (await import('../features/sync/commands/carrying-out.ts')).carryingOut,
};
