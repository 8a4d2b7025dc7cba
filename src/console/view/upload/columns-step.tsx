/** The second step: the first rows of the file, and what each column is. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { sameFile } from '../../../text/wording.ts';
import type { Recipe } from '../../answers.ts';
import { dayAndTime } from '../../format.ts';
import { stateSentence } from '../../import-words.ts';
import { entryAt, forget } from '../../kept-entries.ts';
import { Empty, ErrorPlace, importHref, Steps } from '../../kit/elements.tsx';
import { Drawer, FoldedFields, type Form, useChange } from '../../kit/form.tsx';
import { saidBeside } from '../../option-words.ts';
import { keepInAddress, usePlace } from '../../place.ts';
import { ApiError, query } from '../../requests.ts';
import { UploadState } from '../../uploads-bar.tsx';
import { useAnswer } from '../../use-answer.ts';
import { FileChoice, NewFile } from './file-choice.tsx';
import { FileGrid } from './file-grid.tsx';
import { type FilePreview, READ_BY } from './file-preview.ts';
import { FileFormat, RowDefaults, Shaping, SheetChoice } from './reading-fields.tsx';
import { RecipeChoice, SaveRecipe } from './recipe-choice.tsx';
import { ScopeWords } from './scope-words.tsx';
import { READING, SHAPING } from './shape-form.ts';
import { changedOf } from './steps.ts';
import { Suggestions } from './suggestions.tsx';
import { baseOf, fileHref, IMPORT, placeOf, UploadEntry, type UploadKind } from './upload-entry.ts';

/** The first step, on a page of its own. */
export function FilePage({ kind }: { kind: UploadKind }) {
  return (
    <>
      <h1>New {kind.noun}</h1>
      <Steps names={kind.steps} at={0} hrefs={[]} />
      <NewFile kind={kind} />
    </>
  );
}

export function NewImportFile() {
  return <FilePage kind={IMPORT} />;
}

export function NewImportColumns() {
  return <ColumnsPage kind={IMPORT} />;
}

export function ColumnsPage({ kind }: { kind: UploadKind }) {
  const entry = useKeptEntry(kind);
  return (
    <>
      <h1>Columns</h1>
      <Steps names={kind.steps} at={1} hrefs={[fileHref(kind)]} />
      {entry === undefined ? (
        <Empty>Loading …</Empty>
      ) : entry === null ? (
        <>
          <p class="lead">This file is not kept in this browser any more. Choose it again.</p>
          <NewFile kind={kind} />
        </>
      ) : (
        <Columns kind={kind} entry={entry} />
      )}
    </>
  );
}

/** The file that the address names; null if it is not there any more. */
function useKeptEntry(kind: UploadKind): UploadEntry | undefined | null {
  const key = usePlace().query.get('file') ?? '';
  const present = entryAt(placeOf(kind));
  const entry = useSignal(present instanceof UploadEntry && present.key === key ? present : undefined);
  const isGone = useSignal(false);
  useEffect(() => {
    if (entry.peek() !== undefined) return;
    void UploadEntry.kept(kind, key).then((found) => {
      entry.value = found;
      isGone.value = found === undefined;
    });
  }, []);
  return isGone.value ? null : entry.value;
}

function Columns({ kind, entry }: { kind: UploadKind; entry: UploadEntry }) {
  const { go } = usePlace();
  const { form, preview } = entry;
  const isImport = kind.noun === 'import';
  const { upload, isBusy, next } = useUploading(kind, entry);
  const lookups = preview.lookups.value;
  const keep = () => entry.store();
  useChange(JSON.stringify(READ_BY.map((name) => form.get(name))), () => preview.askSoon());
  useChange(lookups, () => preview.askSoon());
  useChange(form.values.value, keep);
  useChange(lookups, keep);
  const choose = (file: File) => {
    const taken = UploadEntry.choose(kind, file);
    if (taken === entry) keepInAddress(`?file=${entry.key}`);
    else go(taken.columnsHref);
  };
  const readiness = preview.readiness;
  return (
    <form class="new-import card" noValidate onSubmit={next}>
      <h2 class="unseen">The file</h2>
      <FileChoice
        file={entry.file.value}
        onFile={choose}
        onRemove={() => {
          forget(placeOf(kind));
          go(fileHref(kind));
        }}
      />
      <SkipToStart />
      <ImportedBefore before={preview.before.value} made={entry.made} />
      <SheetChoice preview={preview} form={form} />
      <Suggestions preview={preview} form={form} isImport={isImport} />
      <ScopeWords preview={preview} form={form} />
      <FileGrid preview={preview} form={form} isImport={isImport} />
      <Reading preview={preview} form={form} isImport={isImport} />
      {kind.fields?.(entry)}
      <div class="finish">
        <ErrorPlace error={entry.error.value} />
        <div class="reading">{upload?.isUnderWay && <UploadState upload={upload} />}</div>
        <div class="buttons">
          <button
            type="submit"
            id="start"
            class="main"
            aria-disabled={isBusy || readiness === 'reading' || readiness === 'refused'}
          >
            {kind.label(form)}
          </button>
        </div>
      </div>
    </form>
  );
}

/** Options of an import that count before it is read. */
const OF_IMPORT = ['expectRows', 'minRows', 'silent'];

/** Everything that says how the file is read, in one drawer. */
function Reading({ preview, form, isImport }: { preview: FilePreview; form: Form; isImport: boolean }) {
  const hasRecipe = form.get('recipe') !== '';
  const recipes = useAnswer<{ recipes: readonly Recipe[] }>('/v1/recipes');
  const shaping = SHAPING.filter((name) => name !== 'scopeWords');
  const names = [...READING, ...shaping, ...OF_IMPORT, 'recipe'];
  return (
    <Drawer title="How the file is read" changed={changedOf(names, form.values.value)}>
      {(isImport || hasRecipe) && <RecipeChoice preview={preview} form={form} known={recipes.data?.recipes ?? []} />}
      <RowDefaults form={form} />
      <FileFormat form={form} preview={preview} isArchive={preview.isArchive.value} />
      <Shaping preview={preview} form={form} upload={isImport ? preview : undefined} />
      {isImport && <FoldedFields title="The whole import" form={form} fields={OF_IMPORT} isOpen />}
      {isImport && !hasRecipe && preview.found.value !== undefined && (
        <SaveRecipe preview={preview} form={form} onSaved={recipes.reload} />
      )}
    </Drawer>
  );
}

/** Goes on with the file: to the page of what is made of it, or back to the columns, which say what is wrong. */
function useUploading(kind: UploadKind, entry: UploadEntry) {
  const { go } = usePlace();
  const { form, preview } = entry;
  const upload = entry.upload.value;
  const isBusy = upload?.isUnderWay === true;
  useLayoutEffect(() => upload?.watch(), [upload]);
  useEffect(() => {
    if (upload === undefined || isBusy) return;
    upload.dismiss();
    entry.upload.value = undefined;
    if (upload.state.peek() === 'made') go(upload.href);
    else entry.error.value = beside(upload.error, form, (name) => kind.fieldOf(name, form)) ? undefined : upload.error;
  }, [upload, isBusy]);

  const next = (event: SubmitEvent) => {
    event.preventDefault();
    const file = entry.file.peek();
    if (file === undefined || isBusy) return;
    entry.error.value = undefined;
    if (typeof preview.readiness === 'string' && preview.readiness !== 'ready') return;
    form.clearErrors();
    if (!preview.mayBeRead()) return;
    const made = entry.start(
      `/v1${baseOf(kind)}${query({ ...kind.toQuery(form.read()), ...preview.options, name: file.name })}`,
    );
    if (made !== '') go(made);
  };
  return { upload, isBusy, next };
}

/** To the button that goes on, for who needs none of the choices. */
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

/** @param made what was made of it here is no surprise */
function ImportedBefore({ before, made }: { before: FilePreview['before']['value']; made: string }) {
  return (
    <div role="status">
      {before && importHref(before.import.id) !== made && (
        <p class="notice calm">
          {sameFile(before.isWhole)} was imported on {dayAndTime(before.import.createdAt)}.{' '}
          {stateSentence(before.import)} <a href={importHref(before.import.id)}>See that import</a>
        </p>
      )}
    </div>
  );
}

/**
 * Shows an error beside the field that it is about.
 * @returns whether there is such a field
 */
export function beside(error: unknown, form: Form, fieldOf: (name: string) => string): boolean {
  if (!(error instanceof ApiError) || error.problem.field === undefined) return false;
  const { field } = error.problem;
  const text = saidBeside(error.problem);
  return form.showError(fieldOf(field), text) || form.showError(`map-${field === 'map' ? 'uid' : field}`, text);
}
