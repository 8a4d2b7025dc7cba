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

function UploadState({ upload }: { upload: Upload }) {
  const { file, formHref, noun } = upload.task;
  const isUnderWay = upload.isUnderWay;
  const isMade = upload.state.value === 'made';
  const dismiss = () => upload.dismiss();
  return (
    <div class="inner">
      {isUnderWay && <b>{foreign(file.name)}</b>}
      {isUnderWay && <Progress upload={upload} />}
      <p role="status" class={upload.state.value === 'failed' ? 'attention' : ''}>
        {sentence(upload)}
      </p>
      {isMade && (
        <a href={upload.href} onClick={dismiss}>
          See the {noun}
        </a>
      )}
      {!isMade && <a href={formHref}>Back to its form</a>}
      <button type="button" class="quiet" onClick={isUnderWay ? () => upload.stop() : dismiss}>
        {isUnderWay ? 'Cancel' : 'Dismiss'}
      </button>
    </div>
  );
}

export function Progress({ upload }: { upload: Upload }) {
  const total = upload.task.file.size;
  // With an identity or group file, more is sent than the file.
  const sent = Math.min(upload.sent.value, total);
  return (
    <>
      <progress max={1} value={total === 0 ? 1 : sent / total} aria-label="Upload" />
      <span class="note">
        Uploading: {size(sent)} of {size(total)}
      </span>
    </>
  );
}

/** Describes the state of an upload; '' while it is being sent. */
export function sentence({ state, task: { file, address }, error }: Upload) {
  if (state.value === 'broken') return 'The connection was lost. The file is sent again when the server answers.';
  if (state.value === 'made') {
    const isHeld = /[?&](dryRun|askFirst)=true/.test(address);
    return (
      <>
        {foreign(file.name)} has been uploaded.{isHeld && ' Nothing is sent until its page is opened.'}
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
