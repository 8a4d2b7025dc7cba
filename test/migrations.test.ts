import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SRC = new URL('../src/', import.meta.url);

/** SHA-256, its first 16 digits, of every migration that has landed. A new one is added; a line is never changed. */
const LANDED: Readonly<Record<string, string>> = {
  'features/export/migrations/001_export.sql': '64211b8dfb0aebdc',
  'imports/predictions/migrations/001_check.sql': '6fe0884fdf5f94a3',
  'imports/predictions/migrations/002_options.sql': '0930bf82fa836ee3',
  'imports/migrations/001_catalog.sql': '97671e2a9f30497a',
  'imports/migrations/002_import_list.sql': '9147c0042efad974',
  'imports/migrations/003_schedule_edits.sql': 'f8d39262254b503b',
  'imports/migrations/004_schedule_pauses.sql': '7521d1e23e1f0997',
  'imports/migrations/005_totals.sql': '083baf127bcdae70',
  'imports/migrations/006_deletions.sql': '1740fc4c5eb9db43',
  'imports/migrations/007_dismissed.sql': 'eaf3d44bedb4d0bb',
  'imports/migrations/008_source_settings.sql': '86f842bf01c06f37',
  'imports/migrations/009_report_deliveries.sql': 'f0bf39064f4b8a43',
  'imports/migrations/010_open_problems.sql': 'a564e8cbf91a0774',
  'imports/record/migrations/001_import.sql': '7ebb91512c2107f0',
  'imports/record/migrations/002_messages.sql': '6e7e68eb05beb7a1',
  'imports/record/migrations/003_call_details.sql': '30c160917c766e5b',
  'imports/record/migrations/004_batch_states.sql': '9dd726c093f3eff4',
  'imports/record/migrations/005_counters.sql': '4a5070c4ee7bc06e',
  'imports/record/migrations/006_plain_words.sql': 'dd79b5b3498bd12f',
  'imports/record/migrations/007_messages_by_batch.sql': '3328aa25352062bb',
  'imports/record/migrations/008_started.sql': '5bb1a67ea9480cb4',
  'features/repair/migrations/001_repair.sql': '228417af93ef59d3',
  'features/repair/migrations/002_state.sql': '8328a50a7a911475',
  'features/repair/migrations/003_actions.sql': '3ba4f3947525d2b0',
  'features/repair/migrations/004_retryable.sql': '9f56da59d11ed08b',
  'server/access/migrations/001_access.sql': 'd95d236ecf2d363a',
  'server/access/migrations/002_last_use.sql': '09d444bd4fb353e0',
  'server/access/migrations/003_receiver.sql': '7156bea9c70aa5ee',
  'features/sync/plan/migrations/001_plan.sql': 'f33fc3084c2fbf7d',
  'features/sync/plan/migrations/002_creating.sql': 'a518a76dad0d8a0a',
  'features/sync/plan/migrations/003_notes.sql': 'a84e38efac28693e',
};

test('a migration that has landed is never changed, renamed or removed', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /migrations\/.*\.sql$/.test(file))
    .sort();
  const hashes = files.map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(new URL(file, SRC)))
      .digest('hex')
      .slice(0, 16),
  ]);
  expect(Object.fromEntries(hashes)).toEqual(LANDED);
});

test('a migration has neither a comment nor more than one blank inside a text, because files get it without comments', () => {
  const texts = Object.keys(LANDED).flatMap((file) => {
    const sql = readFileSync(new URL(file, SRC), 'utf8');
    return [...sql.replaceAll(/--.*/g, '').matchAll(/'[^']*'/g)].map(([text]) => text);
  });
  expect(texts.filter((text) => /--|\s\s|\n/.test(text))).toEqual([]);
  // A comment that began inside a text would leave it open.
  for (const file of Object.keys(LANDED)) {
    const sql = readFileSync(new URL(file, SRC), 'utf8').replaceAll(/--.*/g, '');
    expect(sql.split("'").length % 2, file).toBe(1);
  }
});
