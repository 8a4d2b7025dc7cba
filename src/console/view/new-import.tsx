/** The first two steps of a new import; its page is the third. */
import { ColumnsPage, FilePage } from './upload/columns-step.tsx';
import { IMPORT } from './upload/upload-entry.ts';

export function NewImportFile() {
  return <FilePage kind={IMPORT} />;
}

export function NewImportColumns() {
  return <ColumnsPage kind={IMPORT} />;
}
