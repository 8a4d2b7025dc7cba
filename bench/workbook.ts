/**
 * Staging a workbook (.xlsx) beside the CSV file with the same rows: time, CPU time and memory. Texts are shared as Excel
 * shares them, each once: a million different UIDs and names are a table of two million texts.
 *
 * Run   node bench/workbook.ts [--rows 1000000] [--groups 4000] [--rounds 3]
 * Read  one line for each round, both by turns in processes of their own; then medians. Both must stage the same rows.
 *       Memory of the workbook may be some 100 MB above that of the CSV file, however many rows there are.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { membershipFile } from './generate.ts';
import { line, type Measured, middle, report, run } from './measure.ts';
import { stage } from './stage.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    groups: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});

const csv = await membershipFile(Number(values.rows), Number(values.groups));
const workbook = csv.replace(/\.csv$/, '.xlsx');
if (values.only === 'csv') await report(() => stage(csv));
else if (values.only === 'workbook') await report(() => stage(workbook));
else await compare();

async function compare(): Promise<void> {
  if (!existsSync(workbook)) await writeWorkbook(csv, workbook);
  const runs: Record<'csv' | 'workbook', Measured[]> = { csv: [], workbook: [] };
  process.stdout.write(line('', 'csv s', 'xlsx s', 'csv CPU s', 'xlsx CPU s', 'csv MB', 'xlsx MB'));
  const show = (name: string, a: Measured, b: Measured) =>
    line(
      name,
      ...[a.seconds, b.seconds, a.cpuSeconds, b.cpuSeconds].map((number) => number.toFixed(2)),
      ...[a.peakMb, b.peakMb].map((number) => number.toFixed(0)),
    );
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const only of ['csv', 'workbook'] as const) {
      const args = ['--only', only, '--rows', values.rows, '--groups', values.groups];
      runs[only].push(await run('workbook.ts', args));
    }
    const [a, b] = [runs.csv.at(-1), runs.workbook.at(-1)];
    if (a === undefined || b === undefined || a.count !== b.count) throw new Error('they staged different rows');
    process.stdout.write(show(`round ${round}`, a, b));
  }
  process.stdout.write(show('median', middle(runs.csv), middle(runs.workbook)));
}

/** The rows of a CSV file without quotes as a workbook with shared texts. */
async function writeWorkbook(source: string, path: string): Promise<void> {
  const out = createWriteStream(`${path}.part`);
  const zip = new Zip((error, data, final) => {
    if (error !== null) throw error;
    out.write(data);
    if (final) out.end();
  });
  const part = (name: string) => {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    return entry;
  };
  const whole = (name: string, text: string) => part(name).push(strToU8(text), true);
  whole('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>');
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  whole(
    '_rels/.rels',
    `<Relationships xmlns="${RELATIONSHIPS}">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
  );
  whole(
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Members" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  );
  whole(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${RELATIONSHIPS}">${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
  );
  const texts = new Map<string, number>();
  const sheet = part('xl/worksheets/sheet1.xml');
  sheet.push(strToU8(`<worksheet xmlns="${MAIN}"><sheetData>`));
  let row = 0;
  for await (const cells of createInterface({ input: createReadStream(source) })) {
    row += 1;
    let xml = `<row r="${row}" spans="1:5">`;
    for (const [column, text] of cells.split(',').entries()) {
      let index = texts.get(text);
      if (index === undefined) {
        index = texts.size;
        texts.set(text, index);
      }
      xml += `<c r="${'ABCDE'[column]}${row}" t="s"><v>${index}</v></c>`;
    }
    sheet.push(strToU8(`${xml}</row>`));
    if (out.writableNeedDrain) await once(out, 'drain');
  }
  sheet.push(strToU8('</sheetData></worksheet>'), true);
  const shared = part('xl/sharedStrings.xml');
  shared.push(strToU8(`<sst xmlns="${MAIN}">`));
  for (const text of texts.keys()) shared.push(strToU8(`<si><t>${text}</t></si>`));
  shared.push(strToU8('</sst>'), true);
  zip.end();
  await finished(out);
  renameSync(`${path}.part`, path);
}
