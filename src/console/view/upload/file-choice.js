/** Where a file is dropped or chosen. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { INPUT_ENDINGS, inputNames } from '../../../options/input-kinds.ts';
import { foreign, h } from '../../element.js';
import { size } from '../../format.js';

const HINT = `Drop a membership file here, or choose one: ${inputNames('or')}, or a ZIP archive of them.`;
const ACCEPTED = [...INPUT_ENDINGS, 'zip', 'gz', 'zst'].map((ending) => `.${ending}`).join(',');

/**
 * @param {object} properties
 * @param {File | undefined} properties.file
 * @param {(file: File) => void} properties.onFile
 * @param {(file: File) => void} properties.onSample
 * @param {() => void} properties.onRemove
 */
export function FileChoice({ file, onFile, onSample, onRemove }) {
  const isOver = useSignal(false);
  const tooMany = useSignal(false);
  useStrayFilesKept();
  /** @param {FileList | null | undefined} files */
  const take = (files) => {
    const first = files?.[0];
    if (first === undefined) return;
    tooMany.value = (files?.length ?? 0) > 1;
    onFile(first);
  };
  /** @param {boolean} value */
  const hover = (value) => (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    isOver.value = value;
  };
  return h(
    'div',
    {
      class: `drop${file === undefined ? '' : ' chosen'}${isOver.value ? ' over' : ''}`,
      onDragEnter: hover(true),
      onDragOver: hover(true),
      onDragLeave: ({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isOver.value = false;
      },
      onDrop: (event) => {
        hover(false)(event);
        take(event.dataTransfer?.files);
      },
    },
    h(
      'p',
      { id: 'file-note' },
      file === undefined
        ? [
            HINT,
            h(
              'span',
              { class: 'templates' },
              'An example to fill in: ',
              h('a', { href: '/v1/template?format=csv', download: true }, 'CSV'),
              ' or ',
              h('a', { href: '/v1/template?format=xlsx', download: true }, 'Excel'),
              '. ',
              h(
                'button',
                { type: 'button', class: 'link', onClick: () => void sample().then(onSample) },
                'Try a sample',
              ),
            ),
          ]
        : [
            h('b', null, foreign(file.name)),
            h('span', { class: 'soft' }, ` ${size(file.size)}`),
            tooMany.value &&
              h('span', { class: 'attention' }, ' One file makes one import; only the first file is used.'),
          ],
    ),
    h('input', {
      type: 'file',
      id: 'file',
      class: 'unseen',
      accept: ACCEPTED,
      'aria-describedby': 'file-note',
      onChange: ({ currentTarget }) => {
        take(currentTarget.files);
        // So that the same file can be chosen again when it has been fixed.
        currentTarget.value = '';
      },
    }),
    h('label', { for: 'file', class: 'button main' }, file === undefined ? 'Choose file' : 'Choose another'),
    file !== undefined && h('button', { type: 'button', class: 'quiet', onClick: onRemove }, 'Remove'),
  );
}

/** The example as a file that was chosen. */
async function sample() {
  const reply = await fetch('/v1/template?format=csv');
  return new File([await reply.blob()], 'sample.csv', { type: 'text/csv' });
}

/** Dropped beside its place, a file would be opened instead of this page. */
function useStrayFilesKept() {
  useEffect(() => {
    const prevent = (/** @type {Event} */ event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, prevent);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, prevent);
    };
  }, []);
}
