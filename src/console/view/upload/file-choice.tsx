/** The choice of a file: the first step of an import or sync, also on the pages that list them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { INPUT_ENDINGS, inputNames } from '../../../options/input-kinds.ts';
import { size } from '../../format.ts';
import { forget, useEntry } from '../../kept-entries.ts';
import { foreign } from '../../kit/elements.tsx';
import { usePlace } from '../../place.ts';
import { fileHref, UploadEntry, type UploadKind } from './upload-entry.ts';

const HINT = `Drop a membership file here, or choose one: ${inputNames('or')}, or a ZIP archive of them.`;
const ACCEPTED = [...INPUT_ENDINGS, 'zip', 'gz', 'zst'].map((ending) => `.${ending}`).join(',');

/** A place for a new file, which leads to its columns; one that was left there waits. */
export function NewFile({ kind }: { kind: UploadKind }) {
  const { go } = usePlace();
  const entry = useEntry(fileHref(kind), () => new UploadEntry(kind));
  const choose = (file: File, isSample: boolean) => {
    const taken = UploadEntry.choose(kind, file);
    if (isSample) taken.landing.value = 'The sample was chosen.';
    go(taken.columnsHref);
  };
  return (
    <FileChoice
      file={entry.file.value}
      onFile={choose}
      onRemove={() => {
        forget(fileHref(kind));
        document.getElementById('file')?.focus();
      }}
      next={entry.columnsHref}
    />
  );
}

/** The same as a part of a page. */
export function NewFileCard({ kind }: { kind: UploadKind }) {
  return (
    <section aria-labelledby="new">
      <h2 id="new" class="unseen">
        New {kind.noun}
      </h2>
      <NewFile kind={kind} />
    </section>
  );
}

/** Back to the columns of what was made, with everything that was entered; or to where the file is chosen again. */
export function BackToColumns({ kind, href }: { kind: UploadKind; href: string }) {
  const columns = useColumnsOf(kind, href);
  if (columns === null) return null;
  return (
    <a class="button main" href={columns ?? fileHref(kind)}>
      {columns === undefined ? 'Choose the file again' : 'Back to its columns'}
    </a>
  );
}

/** Null while it is not known. */
export function useColumnsOf(kind: UploadKind, href: string): string | undefined | null {
  const columns = useSignal<string | undefined | null>(null);
  useEffect(() => {
    void UploadEntry.columnsOf(kind, href).then((found) => {
      columns.value = found;
    });
  }, [href]);
  return columns.value;
}

interface FileChoiceProperties {
  file: File | undefined;
  onFile: (file: File, isSample: boolean) => void;
  onRemove: () => void;
  /** The address of the next step; absent on its page. */
  next?: string;
}

export function FileChoice({ file, onFile, onRemove, next }: FileChoiceProperties) {
  const isOver = useSignal(false);
  const tooMany = useSignal(false);
  usePageKeptOnDrop();
  const take = (files: FileList | null | undefined) => {
    const first = files?.[0];
    if (first === undefined) return;
    tooMany.value = (files?.length ?? 0) > 1;
    onFile(first, false);
  };
  const hover = (value: boolean) => () => {
    isOver.value = value;
  };
  return (
    <div
      class={`drop row${file === undefined ? '' : ' chosen'}${isOver.value ? ' over' : ''}`}
      onDragOver={hover(true)}
      onDragLeave={hover(false)}
      onDrop={({ dataTransfer }) => {
        isOver.value = false;
        take(dataTransfer?.files);
      }}
    >
      <p id="file-note">
        {file === undefined ? (
          <>
            {HINT}
            <Templates onSample={(sample) => onFile(sample, true)} />
          </>
        ) : (
          <>
            <b>{foreign(file.name)}</b>
            <span class="soft"> {size(file.size)}</span>
            {tooMany.value && <span class="attention"> One file makes one import; only the first file is used.</span>}
          </>
        )}
      </p>
      {file !== undefined && next !== undefined && (
        <a class="button main" href={next}>
          Next: columns
        </a>
      )}
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
      <label for="file" class={file === undefined ? 'button main' : 'button'}>
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

function Templates({ onSample }: { onSample: (file: File) => void }) {
  return (
    <span class="note templates">
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
  );
}

async function sample() {
  const reply = await fetch('/v1/template?format=csv');
  return new File([await reply.blob()], 'sample.csv', { type: 'text/csv' });
}

/** Without it, a file that is dropped would be opened instead of this page, in its place and beside it. */
function usePageKeptOnDrop() {
  useEffect(() => {
    const prevent = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, prevent);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, prevent);
    };
  }, []);
}
