/** The field in which a file is dropped or chosen. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { INPUT_ENDINGS, inputNames } from '../../../options/input-kinds.ts';
import { foreign } from '../../element.tsx';
import { size } from '../../format.ts';

const HINT = `Drop a membership file here, or choose one: ${inputNames('or')}, or a ZIP archive of them.`;
const ACCEPTED = [...INPUT_ENDINGS, 'zip', 'gz', 'zst'].map((ending) => `.${ending}`).join(',');

interface FileChoiceProperties {
  file: File | undefined;
  onFile: (file: File) => void;
  onSample: (file: File) => void;
  onRemove: () => void;
}

export function FileChoice({ file, onFile, onSample, onRemove }: FileChoiceProperties) {
  const isOver = useSignal(false);
  const tooMany = useSignal(false);
  useStrayFilesKept();
  const take = (files: FileList | null | undefined) => {
    const first = files?.[0];
    if (first === undefined) return;
    tooMany.value = (files?.length ?? 0) > 1;
    onFile(first);
  };
  const hover = (value: boolean) => (event: DragEvent) => {
    event.preventDefault();
    isOver.value = value;
  };
  return (
    <div
      class={`drop${file === undefined ? '' : ' chosen'}${isOver.value ? ' over' : ''}`}
      onDragEnter={hover(true)}
      onDragOver={hover(true)}
      onDragLeave={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isOver.value = false;
      }}
      onDrop={(event) => {
        hover(false)(event);
        take(event.dataTransfer?.files);
      }}
    >
      <p id="file-note">
        {file === undefined ? (
          <>
            {HINT}
            <span class="templates">
              An example to fill in:{' '}
              <a href="/v1/template?format=csv" download>
                CSV
              </a>{' '}
              or{' '}
              <a href="/v1/template?format=xlsx" download>
                Excel
              </a>
              .{' '}
              <button type="button" class="link" onClick={() => void sample().then(onSample)}>
                Try a sample
              </button>
            </span>
          </>
        ) : (
          <>
            <b>{foreign(file.name)}</b>
            <span class="soft"> {size(file.size)}</span>
            {tooMany.value && <span class="attention"> One file makes one import; only the first file is used.</span>}
          </>
        )}
      </p>
      <input
        type="file"
        id="file"
        class="unseen"
        accept={ACCEPTED}
        aria-describedby="file-note"
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // So that the same file can be chosen again when it has been fixed.
          currentTarget.value = '';
        }}
      />
      <label for="file" class="button main">
        {file === undefined ? 'Choose file' : 'Choose another'}
      </label>
      {file !== undefined && (
        <button type="button" class="quiet" onClick={onRemove}>
          Remove
        </button>
      )}
    </div>
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
    const prevent = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, prevent);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, prevent);
    };
  }, []);
}
