import type { Name, Names } from '../../../cli/names.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { BUILT_IN } from '../built-in.ts';
import { listRecipes } from '../recipe-store.ts';

const nameOf = ({ name, title }: { readonly name: string; readonly title: string }): Name => [name, title];

export const recipeNames: Names = {
  wants: (command) => command.name() === 'show' || command.name() === 'remove',
  ofThisMachine: true,
  local: async (root) => listRecipes(dataDir(root)).map(nameOf),
  builtIn: async () => BUILT_IN.map(nameOf),
};
