/** The first two steps of a new import; its page is the third. */
import { Card } from '../kit/elements.tsx';
import { ColumnsPage, FilePage } from './upload/columns-step.tsx';
import { NewFile } from './upload/file-choice.tsx';
import { IMPORT } from './upload/upload-entry.ts';

export function NewImport() {
  return (
    <Card id="new" title="New import">
      <NewFile kind={IMPORT} />
    </Card>
  );
}

export function NewImportFile() {
  return <FilePage kind={IMPORT} />;
}

export function NewImportColumns() {
  return <ColumnsPage kind={IMPORT} />;
}
