/** A new import, or sync, before there is one: the file, its first rows, and what each column is. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { sameFile } from '../../../text/wording.ts';
import type { Recipe } from '../../answers.ts';
import { dayAndTime } from '../../format.ts';
import { entryAt, forget } from '../../kept-entries.ts';
import { Empty, ErrorPlace, importHref, Steps } from '../../kit/elements.tsx';
import { Drawer, FoldedFields } from '../../kit/form.tsx';
import { keepInAddress, usePlace, useTitle } from '../../place.ts';
import { UploadState } from '../../uploads-bar.tsx';
import { useAnswer, useChange } from '../../use-answer.ts';
import { readinessOf } from './columns-rules.ts';
import { FileChoice, NewFile } from './file-choice.tsx';
import { READ_BY } from './file-form.ts';
import { SeenFile } from './file-grid.tsx';
import { READING, SHAPING } from './file-options.ts';
import { ReadingFields } from './reading-fields.tsx';
import { RecipeChoice, SaveRecipe } from './recipe-choice.tsx';
import { fileHref, IMPORT, UploadEntry, type UploadKind } from './upload-entry.ts';

export function Page() {
  return <NewFilePage kind={IMPORT} />;
}

/** The first two steps: which file it is, and the columns of the one that the address names. */
export function NewFilePage({ kind }: { kind: UploadKind }) {
  const key = usePlace().query.get('file');
  useTitle(key === null ? '' : 'Columns');
  return (
    <>
      <h1>{key === null ? `New ${kind.noun}` : 'Columns'}</h1>
      <Steps names={kind.steps} at={key === null ? 0 : 1} hrefs={[fileHref(kind)]} />
      {key === null ? <NewFile kind={kind} /> : <KeptFile kind={kind} file={key} />}
    </>
  );
}

/** A file that was chosen, as the page or the browser keeps it. */
function KeptFile({ kind, file }: { kind: UploadKind; file: string }) {
  const present = entryAt(fileHref(kind));
  const isPresent = present instanceof UploadEntry && present.key === file;
  /** Null: it is not there any more. */
  const entry = useSignal<UploadEntry | undefined | null>(isPresent ? present : undefined);
  useEffect(() => {
    if (isPresent) return;
    void UploadEntry.kept(kind, file).then((found) => {
      entry.value = found ?? null;
    });
  }, []);
  if (entry.value === undefined) return <Empty>Loading …</Empty>;
  if (entry.value !== null) return <Columns entry={entry.value} />;
  return (
    <>
      <p class="lead">This file is not kept in this browser any more. Choose it again.</p>
      <NewFile kind={kind} />
    </>
  );
}

function Columns({ entry }: { entry: UploadEntry }) {
  const { kind } = entry;
  const { go } = usePlace();
  const { upload, isBusy, next } = useUploading(entry);
  const values = entry.values.value;
  const lookups = entry.lookups.value;
  useChange(JSON.stringify(READ_BY.map((name) => values[name])), () => entry.askSoon());
  useChange(values, () => entry.store());
  useChange(lookups, () => {
    entry.askSoon();
    entry.store();
  });
  const choose = (file: File) => {
    const taken = UploadEntry.choose(kind, file);
    if (taken === entry) keepInAddress(`?file=${entry.key}`);
    else go(taken.columnsHref);
  };
  const readiness = readinessOf(entry);
  return (
    <form class="card gap col" noValidate onSubmit={next}>
      <h2 class="unseen">The file</h2>
      <FileChoice
        file={entry.file.value}
        onFile={choose}
        onRemove={() => {
          forget(fileHref(kind));
          go(fileHref(kind));
        }}
      />
      <div class="unseen">
        {/* For who needs none of the choices. */}
        <button type="button" onClick={() => document.getElementById('start')?.focus()}>
          Skip the choices
        </button>
      </div>
      <ImportedBefore entry={entry} />
      {entry.isReading.value && !entry.isShown ? (
        <p class="empty soft" role="status" aria-busy>
          Reading …
        </p>
      ) : (
        <SeenFile form={entry} />
      )}
      <Reading entry={entry} />
      {kind.fields?.(entry)}
      <div class="finish col">
        <ErrorPlace error={entry.failure.value} />
        <div class="col">{upload?.isUnderWay && <UploadState upload={upload} />}</div>
        <div class="buttons row">
          <button
            type="submit"
            id="start"
            class="main"
            aria-disabled={isBusy || readiness === 'reading' || readiness === 'refused'}
          >
            {kind.label(entry)}
          </button>
        </div>
      </div>
    </form>
  );
}

/** Options of an import that count before it is read. */
const OF_IMPORT = ['expectRows', 'minRows', 'silent'];
const IN_DRAWER = [...READING, ...SHAPING.filter((name) => name !== 'scopeWords'), ...OF_IMPORT, 'recipe'];

/** Everything that says how the file is read, in one drawer. */
function Reading({ entry }: { entry: UploadEntry }) {
  const hasRecipe = entry.get('recipe') !== '';
  const recipes = useAnswer<{ recipes: readonly Recipe[] }>('/v1/recipes');
  return (
    <Drawer title="How the file is read" form={entry} fields={IN_DRAWER}>
      {(entry.isImport || hasRecipe) && <RecipeChoice form={entry} known={recipes.data?.recipes ?? []} />}
      <ReadingFields form={entry} isArchive={entry.isArchive.value} />
      {entry.isImport && <FoldedFields title="The whole import" form={entry} fields={OF_IMPORT} isOpen />}
      {entry.isImport && !hasRecipe && entry.found.value !== undefined && (
        <SaveRecipe form={entry} onSaved={recipes.reload} />
      )}
    </Drawer>
  );
}

/** Goes on with the file: to the page of what is made of it, or back to the columns, which say what is wrong. */
function useUploading(entry: UploadEntry) {
  const { go } = usePlace();
  const upload = entry.upload.value;
  const isBusy = upload?.isUnderWay === true;
  useLayoutEffect(() => upload?.watch(), [upload]);
  useEffect(() => {
    if (upload === undefined || isBusy) return;
    upload.dismiss();
    entry.upload.value = undefined;
    if (upload.state.peek() === 'made') go(upload.href);
    else
      void entry
        .attempt(() => Promise.reject(upload.error))
        .catch((error: unknown) => {
          entry.failure.value = error;
        });
  }, [upload, isBusy]);

  const next = (event: SubmitEvent) => {
    event.preventDefault();
    const file = entry.file.peek();
    if (file === undefined || isBusy) return;
    entry.failure.value = undefined;
    if (!entry.mayBeRead()) return;
    const made = entry.start(file);
    if (made !== '') go(made);
  };
  return { upload, isBusy, next };
}

/** Says that the file was imported before. The import that was made of it here is no surprise. */
function ImportedBefore({ entry: { before, made } }: { entry: UploadEntry }) {
  const { isWhole, import: view } = before.value ?? {};
  return (
    <div role="status">
      {view !== undefined && importHref(view.id) !== made && (
        <p class="notice calm">
          {sameFile(isWhole === true)} was imported on {dayAndTime(view.createdAt)}. {view.sentence}{' '}
          <a href={importHref(view.id)}>See that import</a>
        </p>
      )}
    </div>
  );
}
