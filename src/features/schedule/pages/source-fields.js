/** Which file a schedule reads: chosen from the folders that the server allows, or typed. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAnswer } from '../../../console/answer.js';
import { query } from '../../../console/api.js';
import { Empty, foreign, h } from '../../../console/element.js';
import { SelectField, TextField } from '../../../console/form.js';
import { size } from '../../../console/format.js';
import { ErrorNotice } from '../../../console/notice.js';
import { Time } from '../../../console/time.js';
import { fieldsOf, fileOf, KEPT } from './settings-form.js';

/** @import { Form } from '../../../console/form.js' */
/** @import { Schedule, SourceFolder } from '../../../console/sync-answers.d.ts' */
/** @import { SourcePreview } from './source-preview.js' */

/**
 * @param {object} properties
 * @param {Form} properties.form
 * @param {readonly string[]} properties.sources
 * @param {Schedule | undefined} properties.before
 * @param {SourcePreview} properties.preview
 */
export function SourceFields({ form, sources, before, preview }) {
  const root = form.get('root');
  const kept = before !== undefined && fieldsOf(before, sources)['root'] === KEPT ? before.file : undefined;
  const isFetched = /^https?:/.test(root === KEPT ? (kept ?? '') : root);
  /** @type {import('../../../console/form.js').Choice[]} */
  const choices = [...(kept === undefined ? [] : [/** @type {const} */ ([KEPT, `as it is: ${kept}`])]), ...sources];
  return h(
    'fieldset',
    { class: 'source' },
    h('legend', null, 'File'),
    h(SelectField, {
      form,
      name: 'root',
      label: 'Folder or address',
      choices,
      note: 'The server allows these (ROLLCALL_SOURCES).',
    }),
    root !== KEPT &&
      h(TextField, {
        form,
        name: 'path',
        label: isFetched ? 'Path below the address' : 'File or pattern',
        placeholder: 'members.csv',
        note: isFetched
          ? undefined
          : 'Choose a file below, or type one. Of a pattern such as *.csv, each run reads the newest match.',
      }),
    isFetched &&
      h(TextField, {
        form,
        name: 'headers',
        label: 'Headers',
        placeholder: 'Authorization=SOURCE_HR_TOKEN',
        note: 'Each with the environment variable of the server that has its value. The value is never shown.',
      }),
    root !== KEPT &&
      !isFetched &&
      h(Folders, {
        key: root,
        root,
        path: form.get('path'),
        onChoose: (path) => {
          form.set('path', path);
          preview.pick();
        },
      }),
  );
}

/**
 * The folders below one that is allowed, one at a time.
 * @param {{ root: string, path: string, onChoose: (path: string) => void }} properties `path` is below the root
 */
function Folders({ root, path, onChoose }) {
  // It begins where the file is; the folders of a pattern are several.
  const below = useSignal(path.replace(/\/?[^/]*([*?[{].*)?$/, ''));
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const folder = fileOf({ root, path: below.value }) || root;
  const open = (/** @type {string} */ next) => {
    below.value = next;
    // The button that was pressed goes with its folder.
    place.current?.focus();
  };
  return h(
    'div',
    { ref: place, class: 'folder', role: 'group', 'aria-label': `Files in ${folder}`, tabIndex: -1 },
    h('p', { class: 'note' }, 'In ', h('code', null, foreign(folder)), ':'),
    h(Entries, { key: folder, folder, below: below.value, path, onOpen: open, onChoose }),
  );
}

/**
 * @param {object} properties
 * @param {string} properties.folder
 * @param {string} properties.below the folder, seen from the allowed one; '' for that itself
 * @param {string} properties.path of the chosen file
 * @param {(below: string) => void} properties.onOpen
 * @param {(path: string) => void} properties.onChoose
 */
function Entries({ folder, below, path, onOpen, onChoose }) {
  /** @type {import('../../../console/answer.js').Answer<SourceFolder>} */
  const { data, error, reload } = useAnswer(`/v1/sources${query({ folder })}`);
  const inside = (/** @type {string} */ name) => (below === '' ? name : `${below}/${name}`);
  return [
    h(
      'ul',
      { key: 'list', class: 'plain' },
      below !== '' &&
        h(
          'li',
          { key: '..' },
          h(
            'button',
            { type: 'button', class: 'link', onClick: () => onOpen(below.replace(/\/?[^/]*$/, '')) },
            'Up one folder',
          ),
        ),
      data?.entries.map(({ name, kind, size: bytes, modifiedAt }) =>
        h(
          'li',
          { key: name },
          kind === 'folder'
            ? h('button', { type: 'button', class: 'link', onClick: () => onOpen(inside(name)) }, foreign(`${name}/`))
            : h(
                'button',
                {
                  type: 'button',
                  class: 'link',
                  'aria-pressed': inside(name) === path,
                  onClick: () => onChoose(inside(name)),
                },
                foreign(name),
              ),
          h('span', { class: 'note' }, bytes !== null && `${size(bytes)}, `, h(Time, { iso: modifiedAt })),
        ),
      ),
    ),
    h(
      'div',
      { key: 'state', role: 'status' },
      error !== undefined
        ? h(ErrorNotice, { error })
        : data === undefined
          ? h(Empty, {}, 'Loading …')
          : data.entries.length === 0
            ? h(Empty, {}, 'No files are in it yet. Put one there on the server’s machine.')
            : data.more && h('p', { class: 'note' }, 'There are more than are listed: type the name of another.'),
    ),
    h('button', { key: 'again', type: 'button', class: 'link', onClick: () => void reload() }, 'List it again'),
  ];
}
