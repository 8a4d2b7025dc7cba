import { type Bounds, intakeError, shown, tooLong } from './intake-error.ts';
import { firstOfName } from './shape/template.ts';

/** Attributes that hold members: two with their names in the directory, one with their ids. */
const MEMBER_ATTRIBUTES: ReadonlySet<string> = new Set(['member', 'uniquemember', 'memberuid']);

/** Lines of ldapsearch about the search, in blocks without a name. */
const OF_SEARCH: ReadonlySet<string> = new Set([
  'search',
  'result',
  'ref',
  'control',
  'matcheddn',
  'text',
  'pagedresults',
]);

/**
 * The groups of an LDIF text (RFC 2849) in UTF-8 as NDJSON: an object for each member. The GUID is the first value of the
 * group's name, the UID that of the member's name, or its memberUid. Other entries are skipped.
 * Throws LDIF_BROKEN, ROW_TOO_LONG.
 */
export async function* ldifAsNdjson(blocks: AsyncIterable<Buffer>, bounds: Bounds): AsyncGenerator<Buffer> {
  const read = ldifReader(bounds);
  for await (const block of blocks) {
    const text = read(block.toString());
    if (text !== '') yield Buffer.from(text);
  }
  const text = read('\n\n\n');
  if (text !== '') yield Buffer.from(text);
}

function ldifReader(bounds: Bounds) {
  let unfinished = '';
  /** Folded lines gather here: one that begins with a space continues the line before. */
  let folded = '';
  let number = 0;
  let lineStart = 0;
  let entry: string | undefined;
  let rows: string[] = [];

  function read(text: string) {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      number += 1;
      physical(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (unfinished.length > bounds.element) throw isTooLong();
    const written = rows.join('');
    rows = [];
    return written;
  }

  function physical(line: string) {
    if (line.startsWith(' ')) {
      folded += line.slice(1);
      if (folded.length > bounds.element) throw isTooLong();
      return;
    }
    logical(folded);
    folded = line;
    lineStart = number;
    if (line === '') entry = undefined;
  }

  function logical(line: string) {
    if (line === '' || line.startsWith('#')) return;
    const [, attribute = '', mark = '', rest = ''] = /^([A-Za-z0-9.;_-]+):([:<]?)\s*(.*)$/s.exec(line) ?? [];
    const [, range] = /^[A-Za-z0-9.-]+;(range=[^:]*):/i.exec(line) ?? [];
    if (range !== undefined) throw broken(`the directory gave only a part of the members (${shown(range)})`);
    if (attribute === '') throw broken(`${shown(line)} is not "attribute: value"`);
    const [name = ''] = attribute.toLowerCase().split(';');
    if (name === 'version' && entry === undefined) return;
    if (name === 'dn') {
      entry = valueIn(mark, rest);
      return;
    }
    if (entry === undefined && OF_SEARCH.has(name)) {
      if (name === 'result' && !/^0\b/.test(rest)) throw broken(`the search did not end well (${shown(line)})`);
      return;
    }
    if (entry === undefined) throw broken(`${shown(line)} is in an entry without a "dn:"`);
    if (name === 'changetype' && rest.trim() !== 'add') {
      throw broken(`the entry is a change (${shown(rest.trim())}); groups are read from entries with their members`);
    }
    if (MEMBER_ATTRIBUTES.has(name)) member(entry, name, valueIn(mark, rest));
  }

  function member(group: string, attribute: string, value: string) {
    if (value.trim() === '') return;
    const isName = attribute !== 'memberuid';
    const row = {
      guid: firstOfName(group),
      uid: isName ? firstOfName(value) : value,
      group_dn: group,
      member_dn: isName ? value : '',
    };
    rows.push(`${JSON.stringify(row)}\n`);
  }

  function valueIn(mark: string, rest: string) {
    if (mark === '<') throw broken('a value from a URL is not fetched');
    return mark === ':' ? Buffer.from(rest.trim(), 'base64').toString() : rest.trimEnd();
  }

  function broken(what: string) {
    return intakeError(
      'LDIF_BROKEN',
      what,
      'Export the groups with their members again, for instance with ldapsearch -LLL "(objectClass=groupOfNames)"',
      { place: `line ${lineStart}`, line: lineStart },
    );
  }

  function isTooLong() {
    const line = number + 1;
    return tooLong('line', bounds, 'Shorten it', { place: `line ${line}`, line });
  }

  return read;
}
