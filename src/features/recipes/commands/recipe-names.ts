import type { Name, Names } from '../../../cli/names.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { BUILT_IN } from '../built-in.ts';
import { listRecipes } from '../recipe-store.ts';

export const recipeNames: Names = {
  wants: (command) => command.name() === 'show',
  ofThisMachine: true,
  local: async (root) => listRecipes(dataDir(root)).recipes.map(({ name, title }): Name => [name, title]),
  builtIn: async () => Object.entries(BUILT_IN).map(([name, { title }]): Name => [name, title]),
};
