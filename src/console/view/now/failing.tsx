/** Codes that came in several imports: what to fix where the files come from. */
import type { Overview } from '../../answers.ts';
import { importHref } from '../../element.tsx';
import { counted, grouped } from '../../format.ts';
import { type Column, DataTable } from '../../table.tsx';

const COLUMNS: Column<Overview['failing'][number]>[] = [
  { label: 'Code', kind: 'main', cell: ({ code }) => <code>{code}</code> },
  { label: 'Imports', kind: 'number', cell: ({ imports }) => grouped(imports) },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  {
    label: 'Latest',
    cell: ({ latest, code }) => (
      <a href={`${importHref(latest)}#problems`} aria-label={`see what to do about ${code}, in the latest import`}>
        see what to do
      </a>
    ),
  },
];

export function Failing({ failing }: { failing: Overview['failing'] }) {
  return (
    <>
      <p class="soft">{counted(failing.length, 'code')} came in more than one import of the last 14 days.</p>
      <DataTable
        caption="Codes that came in several imports"
        columns={COLUMNS}
        items={failing}
        keyOf={({ code }) => code}
      />
    </>
  );
}
