/** A file that is chosen, looked at, and uploaded with its options. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { INPUT_ENDINGS, inputNames } from '../../options/input-kinds.ts';
import { sameFile } from '../../text/wording.ts';
import type { Recipe } from '../answers.ts';
import { dayAndTime, size } from '../format.ts';
import { stateSentence } from '../import-words.ts';
import { forget } from '../kept-entries.ts';
import { Card, ErrorPlace, foreign, importHref } from '../kit/elements.tsx';
import { type Form, useChange } from '../kit/form.tsx';
import { saidBeside } from '../option-words.ts';
import { usePlace } from '../place.ts';
import { ApiError, query } from '../requests.ts';
import type { Upload } from '../uploads.ts';
import { Progress, sentence } from '../uploads-bar.tsx';
import { useAnswer } from '../use-answer.ts';
import { askWhenRead } from './import/before-sending.tsx';
import { FileGrid } from './upload/file-grid.tsx';
import type { FilePreview } from './upload/file-preview.ts';
import { FileFormat, RowDefaults, SheetChoice } from './upload/reading-fields.tsx';
import { RecipeChoice, SaveRecipe } from './upload/recipe-choice.tsx';
import { READING, SHAPING } from './upload/shape-form.ts';
import { Shaping } from './upload/shaping-fields.tsx';
import { Suggestions } from './upload/suggestions.tsx';
import { UploadEntry } from './upload/upload-entry.ts';

type Values = Readonly<Record<string, string>>;

interface UploadFormProperties {
  title: string;
  /** Path of the upload in the API. */
  path: string;
  /** Its form has the fields of READING, and those of `own`. */
  entry: UploadEntry;
  /** The options that only this kind of upload has. */
  own: (preview: FilePreview) => ComponentChildren;
  /** Returns the query for the form's values besides those for reading the file. */
  toQuery: (values: Values) => Values;
  /** The field that shows what is wrong with an option. */
  fieldOf?: (name: string) => string;
  /** Label of the button. */
  label: string;
  /** Imports take recipes and identity files. */
  isImport?: boolean;
  /** The page of what is made of the file. */
  hrefOf: (id: string) => string;
}

export function UploadForm(properties: UploadFormProperties) {
  const { title, entry, own, label, isImport = false } = properties;
  const { form, preview } = entry;
  const file = entry.file.value;
  const { upload, isBusy, start } = useUploading(properties);
  const hasRecipe = form.get('recipe') !== '';
  const takesRecipes = isImport || hasRecipe;
  const recipes = useAnswer<{ recipes: readonly Recipe[] }>(takesRecipes && file !== undefined ? '/v1/recipes' : null);

  const reading = [...Object.keys(READING), ...Object.keys(SHAPING), 'recipe'].map((name) => form.get(name));
  useChange(JSON.stringify(reading), () => preview.askSoon());
  // The questions about the file are in sight at once.
  useChange(file, () => file !== undefined && document.getElementById('new')?.scrollIntoView());

  const remove = () => {
    forget(entry.place);
    document.getElementById('file')?.focus();
  };
  return (
    <Card id="new" title={title}>
      <FileChoice
        file={file}
        onFile={(chosen) => entry.choose(chosen)}
        onSample={(sample) => {
          entry.choose(sample);
          preview.landing.value = 'The sample was chosen.';
        }}
        onRemove={remove}
      />
      <ImportedBefore before={preview.before.value} />
      {file !== undefined && (
        <form class="new-import" noValidate onSubmit={start}>
          <SkipToStart />
          <SheetChoice preview={preview} form={form} />
          <Suggestions preview={preview} form={form} isImport={isImport} />
          <FileGrid preview={preview} form={form} isImport={isImport} />
          {takesRecipes && <RecipeChoice preview={preview} form={form} known={recipes.data?.recipes ?? []} />}
          <div class="folds">
            <FileFormat form={form} preview={preview} isArchive={preview.isArchive.value} />
            <Shaping preview={preview} form={form} upload={isImport ? preview : undefined} />
            {isImport && !hasRecipe && preview.found.value !== undefined && (
              <SaveRecipe preview={preview} form={form} onSaved={recipes.reload} />
            )}
            <RowDefaults form={form} />
            {own(preview)}
          </div>
          <div class="finish">
            <ErrorPlace error={entry.error.value} />
            <div class="reading">
              {upload?.isUnderWay && <Uploading upload={upload} />}
              <p role="status" class="note">
                {entry.isWaiting.value && 'The first rows are being read. Then it starts, if nothing is missing.'}
              </p>
            </div>
            <div class="buttons">
              <button type="submit" id="start" class="main" aria-disabled={isBusy}>
                {label}
              </button>
              {isImport && form.get('dryRun') !== 'true' && (
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={({ currentTarget }) => {
                    if (isBusy) return;
                    form.set('dryRun', 'true');
                    currentTarget.form?.requestSubmit();
                  }}
                >
                  Check the whole file first
                </button>
              )}
            </div>
          </div>
        </form>
      )}
    </Card>
  );
}

/** Starts the upload and follows it: to the page of what is made of the file, or back to the form, which says what is wrong. */
function useUploading({ path, entry, toQuery = same, fieldOf = same, isImport = false, hrefOf }: UploadFormProperties) {
  const { go } = usePlace();
  const { form, preview } = entry;
  const upload = entry.upload.value;
  const isBusy = upload?.isUnderWay === true || entry.isWaiting.value;
  useLayoutEffect(() => upload?.watch(), [upload]);
  useEffect(() => {
    if (upload === undefined || isBusy) return;
    upload.dismiss();
    if (upload.state.peek() === 'made') {
      entry.leave(upload.href);
      go(upload.href);
    } else {
      entry.upload.value = undefined;
      entry.error.value = beside(upload.error, form, fieldOf) ? undefined : upload.error;
    }
  }, [upload, isBusy]);

  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const file = entry.file.value;
    if (file === undefined || isBusy) return;
    const formHref = location.pathname;
    entry.error.value = undefined;
    entry.isWaiting.value = true;
    await preview.whenRead();
    entry.isWaiting.value = false;
    if (!entry.has(file)) return;
    form.clearErrors();
    if (!preview.mayStart()) return;
    const values = toQuery(form.read());
    // Many rows are read first; their page says what sending them takes, and asks.
    const isAsked = isImport && values['dryRun'] !== 'true' && preview.mayBeMany;
    const address = `${path}${query({ ...values, ...(isAsked && { askFirst: 'true' }), ...preview.options, name: file.name })}`;
    const pageOf = (id: string) => {
      if (isAsked) askWhenRead(id);
      return hrefOf(id);
    };
    entry.start({ address, file, hrefOf: pageOf, noun: isImport ? 'import' : 'sync', formHref });
  };
  return { upload, isBusy, start };
}

/** For what was made of a file that could not be read: back to the file, or to where it is chosen again. */
export function ReadOtherwise({ href, formHref }: { href: string; formHref: string }) {
  const { go } = usePlace();
  const entry = UploadEntry.madeInto(href);
  if (entry === undefined)
    return (
      <a class="button" href={formHref}>
        Choose the file again
      </a>
    );
  const reopen = () => {
    entry.reopen();
    go(formHref);
  };
  return (
    <button type="button" class="main" onClick={reopen}>
      Back to the file and its options
    </button>
  );
}

/** To the button that starts, for who needs none of the choices. */
function SkipToStart() {
  const skip = () => document.getElementById('start')?.focus();
  return (
    <div class="unseen">
      <button type="button" onClick={skip}>
        Skip the choices
      </button>
    </div>
  );
}

function ImportedBefore({ before }: { before: FilePreview['before']['value'] }) {
  return (
    <div role="status">
      {before && (
        <p class="notice calm">
          {sameFile(before.isWhole)} was imported on {dayAndTime(before.import.createdAt)}.{' '}
          {stateSentence(before.import)} <a href={importHref(before.import.id)}>See that import</a>
        </p>
      )}
    </div>
  );
}

function Uploading({ upload }: { upload: Upload }) {
  return (
    <>
      <Progress upload={upload} />
      <p role="status" class="note">
        {sentence(upload)}
      </p>
      <button type="button" class="quiet" onClick={() => upload.stop()}>
        Stop upload
      </button>
    </>
  );
}

/**
 * Shows an error beside the field that it is about.
 * @returns whether there is such a field
 */
function beside(error: unknown, form: Form, fieldOf: (name: string) => string): boolean {
  if (!(error instanceof ApiError) || error.problem.field === undefined) return false;
  const { field } = error.problem;
  const text = saidBeside(error.problem);
  return form.showError(fieldOf(field), text) || form.showError(`map-${field === 'map' ? 'uid' : field}`, text);
}

function same<T>(value: T) {
  return value;
}

const HINT = `Drop a membership file here, or choose one: ${inputNames('or')}, or a ZIP archive of them.`;
const ACCEPTED = [...INPUT_ENDINGS, 'zip', 'gz', 'zst'].map((ending) => `.${ending}`).join(',');

interface FileChoiceProperties {
  file: File | undefined;
  onFile: (file: File) => void;
  onSample: (file: File) => void;
  onRemove: () => void;
}

function FileChoice({ file, onFile, onSample, onRemove }: FileChoiceProperties) {
  const isOver = useSignal(false);
  const tooMany = useSignal(false);
  usePageKeptOnDrop();
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
function usePageKeptOnDrop() {
  useEffect(() => {
    const prevent = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) addEventListener(name, prevent);
    return () => {
      for (const name of ['dragover', 'drop']) removeEventListener(name, prevent);
    };
  }, []);
}
