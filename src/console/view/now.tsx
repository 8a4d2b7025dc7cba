/** The start page: what needs a person, what runs, what may be continued, how the nights went, what keeps failing; and the place for a new file. */
import { Card, Empty } from '../element.tsx';
import { counted } from '../format.ts';
import { settings } from '../frame.tsx';
import { overview } from '../overview.ts';
import { needed } from '../page-title.ts';
import { usePlace } from '../place.ts';
import { NewImport } from './new-import.tsx';
import { Failing } from './now/failing.tsx';
import { Needs } from './now/needs.tsx';
import { Nights } from './now/nights.tsx';
import { Ready } from './now/ready.tsx';
import { Recent } from './now/recent.tsx';
import { Running } from './now/running.tsx';
import { Strays } from './now/strays.tsx';
import { Welcome } from './now/welcome.tsx';

export function NowPage() {
  const { isOperator } = usePlace();
  const known = overview.value;
  const isNew = known !== undefined && known.imports === 0 && known.nights.length === 0 && known.syncs.length === 0;
  return (
    <>
      <h1>Now</h1>
      {isNew ? <Welcome isSandbox={settings.value?.sandbox === true} /> : <Lead />}
      {isOperator && known?.unknownFolders !== undefined && <Strays folders={known.unknownFolders} />}
      {known !== undefined && needed(known) > 0 && <Needs overview={known} />}
      {known !== undefined && known.running.length + known.queued + known.syncsUnderWay.length > 0 && (
        <Running overview={known} />
      )}
      {isOperator && <NewImport />}
      {known !== undefined && known.ready.imports.length + known.ready.syncs.length > 0 && (
        <Ready ready={known.ready} />
      )}
      {known === undefined && <Empty>Loading …</Empty>}
      {known !== undefined && known.nights.length > 0 && (
        <Card id="nights" title="Last run of each schedule">
          <Nights nights={known.nights} />
        </Card>
      )}
      {known !== undefined && !isNew && (
        <div class="pair">
          <Card id="recent" title="Finished last">
            <Recent imports={known.recent} />
          </Card>
          {known.failing.length > 0 && (
            <Card id="failing" title="What keeps failing">
              <Failing failing={known.failing} />
            </Card>
          )}
        </div>
      )}
    </>
  );
}

/** In one line, whether there is anything to do. */
function Lead() {
  const { isOperator } = usePlace();
  const known = overview.value;
  if (known === undefined) return null;
  const needs = needed(known) + (isOperator && known.unknownFolders !== undefined ? 1 : 0);
  const busy = known.running.length;
  return (
    <p class="lead">
      {needs === 0 ? 'Nothing needs you.' : `${counted(needs, 'thing')} ${needs === 1 ? 'needs' : 'need'} you.`}
      {busy + known.queued === 0
        ? ' Nothing is running.'
        : ` ${counted(busy, 'import')} ${busy === 1 ? 'is' : 'are'} running.`}
    </p>
  );
}
