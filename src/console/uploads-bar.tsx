/** The uploads that no form on the page shows: how far they are, and how they ended. */

import { size } from './format.ts';
import { foreign } from './kit/elements.tsx';
import { ApiError } from './requests.ts';
import { type Upload, uploads } from './uploads.ts';

export function UploadsBar() {
  return uploads.value
    .filter((upload) => !upload.isWatched.value)
    .map((upload) => <UploadState key={upload.task.key} upload={upload} />);
}

/** Shows how far an upload is, or how it ended: beside the form that started it, or on another page. */
export function UploadState({ upload }: { upload: Upload }) {
  const { file, formHref, noun } = upload.task;
  const { isUnderWay } = upload;
  const isMade = upload.state.value === 'made';
  const isElsewhere = !upload.isWatched.value;
  const dismiss = () => upload.dismiss();
  // With an identity or group file, more is sent than the file.
  const sent = Math.min(upload.sent.value, file.size);
  return (
    <div class="inner row">
      {isUnderWay && (
        <>
          {isElsewhere && <b>{foreign(file.name)}</b>}
          <progress max={1} value={file.size === 0 ? 1 : sent / file.size} aria-label="Upload" />
          <span class="note">
            Uploading: {size(sent)} of {size(file.size)}
          </span>
        </>
      )}
      <p role="status" class={upload.state.value === 'failed' ? 'attention' : ''}>
        {sentence(upload)}
      </p>
      {isMade && (
        <a href={upload.href} onClick={dismiss}>
          See the {noun}
        </a>
      )}
      {!isMade && isElsewhere && <a href={formHref}>Back to its form</a>}
      <button type="button" class="quiet push" onClick={isUnderWay ? () => upload.stop() : dismiss}>
        {isUnderWay ? 'Cancel' : 'Dismiss'}
      </button>
    </div>
  );
}

/** Describes the state of an upload; '' while it is being sent. */
function sentence({ state, task: { file, noun }, error }: Upload) {
  if (state.value === 'broken') return 'The connection was lost. The file is sent again when the server answers.';
  if (state.value === 'made') {
    return (
      <>
        {foreign(file.name)} has been uploaded.{noun === 'import' && ' Nothing is sent until its page is opened.'}
      </>
    );
  }
  if (state.value !== 'failed') return '';
  const why = error instanceof ApiError ? error.problem.detail : 'the file cannot be read, or has changed.';
  return (
    <>
      The upload of {foreign(file.name)} failed: {why}
    </>
  );
}
