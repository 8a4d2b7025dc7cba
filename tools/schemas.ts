import { join } from 'node:path';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { importSummary } from '../src/api/import-summary.ts';
import { recipeFile } from '../src/features/recipes/recipe.ts';
import { newSchedule } from '../src/features/schedule/operations.ts';
import { planDocument } from '../src/features/sync/api.ts';
import { importOptions } from '../src/imports/import-options.ts';
import { configFile } from '../src/platform/config-file.ts';
import { OUTPUTS } from './outputs.ts';

/**
 * JSON Schemas for editors and for programs that read what rollcall writes, made from the declarations that rollcall itself
 * uses. By their path in the package.
 */
export function schemaFiles(): ReadonlyMap<string, string> {
  const read = {
    'rollcall.config.schema.json': configFile().meta({ title: 'rollcall.config.json' }),
    'recipe.schema.json': recipeFile,
    'schedule.schema.json': newSchedule.meta({ title: 'A schedule, as it is made' }),
    'import-options.schema.json': importOptions.meta({ title: 'How an import is read and run, as it is kept' }),
  };
  const written = {
    'summary.schema.json': importSummary,
    'plan.schema.json': planDocument.meta({ title: 'The plan of a sync' }),
    'output.schema.json': z
      .strictObject(OUTPUTS)
      .partial()
      .meta({ title: 'What commands print with --json', description: 'Each under the name of its command.' }),
  };
  return new Map([...texts(read, 'input'), ...texts(written, 'output')]);
}

function texts(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): (readonly [string, string])[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { $schema, ...json } = z.toJSONSchema(schema, { io });
    return [
      join('schemas', name),
      `${JSON.stringify({ $schema, $id: `${manifest.homepage}schemas/${name}`, ...json }, undefined, 2)}\n`,
    ];
  });
}
