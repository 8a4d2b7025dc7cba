/** The uploads that no form on the page shows: how far they are, and how they ended. */
import { ApiError } from './api.js';
import { foreign, h } from './element.js';
import { size } from './format.js';
import { uploads } from './uploads.js';

/** @import { Upload } from './uploads.js' */

export function UploadsBar() {
  return uploads.value
    .filter((upload) => !upload.isWatched.value)
    .map((upload) => h(UploadState, { key: upload.task.key, upload }));
}

/** @param {{ upload: Upload }} properties */
function UploadState({ upload }) {
  const { file, formHref, noun } = upload.task;
  const isUnderWay = upload.isUnderWay;
  const isMade = upload.state.value === 'made';
  const dismiss = () => upload.dismiss();
  return h(
    'div',
    { class: 'inner' },
    isUnderWay && h('b', { key: 'name' }, foreign(file.name)),
    isUnderWay && h(Progress, { key: 'progress', upload }),
    h(
      'p',
      { key: 'state', role: 'status', class: upload.state.value === 'failed' ? 'attention' : '' },
      sentence(upload),
    ),
    isMade && h('a', { key: 'made', href: upload.href, onClick: dismiss }, `See the ${noun}`),
    !isMade && h('a', { key: 'form', href: formHref }, 'Back to its form'),
    h(
      'button',
      { key: 'end', type: 'button', class: 'quiet', onClick: isUnderWay ? () => upload.stop() : dismiss },
      isUnderWay ? 'Cancel' : 'Dismiss',
    ),
  );
}

/** How far an upload is. @param {{ upload: Upload }} properties */
export function Progress({ upload }) {
  const total = upload.task.file.size;
  // With an identity file, more is sent than the file.
  const sent = Math.min(upload.sent.value, total);
  return [
    h('progress', { key: 'bar', max: 1, value: total === 0 ? 1 : sent / total, 'aria-label': 'Upload' }),
    h('span', { key: 'bytes', class: 'note' }, `Uploading: ${size(sent)} of ${size(total)}`),
  ];
}

/** What has happened to an upload; '' while it is being sent. @param {Upload} upload */
export function sentence({ state, task: { file }, error }) {
  if (state.value === 'broken') return 'The connection was lost. The file is sent again when the server answers.';
  if (state.value === 'made') return [foreign(file.name), ' has been uploaded.'];
  if (state.value !== 'failed') return '';
  const why = error instanceof ApiError ? error.problem.detail : 'the file cannot be read, or has changed.';
  return ['The upload of ', foreign(file.name), ` failed: ${why}`];
}
