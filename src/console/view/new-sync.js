/** A new sync: choose a file, see how it is read, plan. */
import { syncOptions } from './new-sync/options.js';
import { uploadForm } from './upload-form.js';

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(path: string) => void} options.go
 */
export function newSync({ signal, go }) {
  return uploadForm({
    title: 'New sync',
    path: '/v1/syncs',
    makeOptions: syncOptions,
    label: ({ apply }) => (apply === 'true' ? 'Plan and apply' : 'Create plan'),
    onMade: (id) => go(`/syncs/${encodeURIComponent(id)}`),
    signal,
  });
}
