import { join } from 'node:path';
import { z } from 'zod';
import { recipe } from '../src/features/recipes/recipe.ts';
import { configFile } from '../src/platform/config.ts';

/** JSON Schemas for editors, made from the declarations that rollcall reads these files by. By their path in the package. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const schemas = {
    'rollcall.config.schema.json': configFile().meta({ title: 'rollcall.config.json' }),
    'recipe.schema.json': recipe,
  };
  return new Map(
    Object.entries(schemas).map(([name, schema]) => {
      const json = z.toJSONSchema(schema, { io: 'input' });
      return [join('schemas', name), `${JSON.stringify(json, undefined, 2)}\n`];
    }),
  );
}
