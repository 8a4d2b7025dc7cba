/** A new import: choose a file, see how it is read, start. */
import { importOptions } from './new-import/options.js';
import { uploadForm } from './upload-form.js';

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(path: string) => void} options.go
 */
export function newImport({ signal, go }) {
  return uploadForm({
    title: 'New import',
    path: '/v1/imports',
    makeOptions: importOptions,
    label: ({ dryRun }) => (dryRun === 'true' ? 'Check the file' : 'Start import'),
    onMade: (id) => go(`/imports/${encodeURIComponent(id)}`),
    signal,
  });
}
