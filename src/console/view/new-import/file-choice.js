/** Where a file is dropped or chosen. */
import { fill, foreign, h } from '../../element.js';
import { size } from '../../format.js';

/**
 * @param {(file: File) => void} onFile
 * @param {AbortSignal} signal
 */
export function fileChoice(onFile, signal) {
  const input = h('input', {
    type: 'file',
    id: 'file',
    class: 'unseen',
    accept: '.csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz',
    'aria-describedby': 'file-note',
  });
  const label = h('label', { for: 'file', class: 'button main' }, 'Choose file');
  const note = h(
    'p',
    { id: 'file-note' },
    'Drop a membership file here, or choose one: CSV, JSON or NDJSON, gzipped or not.',
  );
  const element = h('div', { class: 'drop' }, note, input, label);

  /** @param {FileList | null | undefined} files */
  const take = (files) => {
    const file = files?.[0];
    if (file === undefined) return;
    element.classList.add('chosen');
    fill(
      note,
      h('b', {}, foreign(file.name)),
      h('span', { class: 'soft' }, ` ${size(file.size)}`),
      files !== null &&
        files !== undefined &&
        files.length > 1 &&
        h('span', { class: 'attention' }, ' One file makes one import; only the first file is used.'),
    );
    fill(label, 'Choose another');
    onFile(file);
  };
  input.addEventListener('change', () => {
    take(input.files);
    // So that the same file can be chosen again when it has been mended.
    input.value = '';
  });
  for (const name of ['dragenter', 'dragover']) {
    element.addEventListener(name, (event) => {
      event.preventDefault();
      element.classList.add('over');
    });
  }
  element.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget)))
      element.classList.remove('over');
  });
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    element.classList.remove('over');
    take(event.dataTransfer?.files);
  });
  // Dropped beside it, a file would be opened in place of this page.
  for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault(), { signal });
  return element;
}
