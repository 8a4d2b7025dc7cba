import type { z } from 'zod';
import { isQuestionRefused, stopSentence } from '../../../jobs/ask-service.ts';
import type { surveyProgress } from '../../api/fields.ts';
import { MAX_PER_PAGE } from '../../chat/service/limits.ts';
import { readList } from '../../chat/whole-lists.ts';
import { isError, RollcallError } from '../../errors/rollcall-error.ts';
import type { Region } from '../../membership/membership.ts';
import { counted, sumOf } from '../../text/wording.ts';
import { countedPages, type GroupPages } from '../ask/group-pages.ts';
import { inRegions } from './side-by-side.ts';
import type { Directory, Survey } from './survey.ts';

export type SurveyProgress = Readonly<z.infer<typeof surveyProgress>>;
export type SurveyStep = SurveyProgress['step'];

/** A survey that is read, or read further: its file, the service, and the bounds. */
export interface SurveyRun {
  readonly survey: Survey;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Calls that this run may make. Default: as many as it takes. */
  readonly maxCalls?: number | undefined;
  readonly onProgress: (progress: SurveyProgress) => void;
}

export type Crawl = Readonly<ReturnType<typeof crawlOf>>;

/** Shared by all steps of a run. Its pages count calls, and refuse more than allowed. */
export function crawlOf({ survey, pages, signal, maxCalls = Number.POSITIVE_INFINITY, onProgress }: SurveyRun) {
  let left = maxCalls;
  const steps = new Map<SurveyStep, { done: number; of: number }>();
  return {
    survey,
    signal,
    /** Calls that are still allowed. */
    left: () => left,
    pages: countedPages(pages, () => {
      if (left < 1) {
        throw new RollcallError('CALLS_USED_UP', {
          what: `${maxCalls} calls were allowed, and that is not enough`,
          price: null,
        });
      }
      left -= 1;
      survey.sql('count_call').run();
    }),
    /** A step reads `of` more things, over all regions; call the result once for each. */
    progress: (step: SurveyStep, of: number) => {
      const known = steps.get(step) ?? { done: 0, of: 0 };
      steps.set(step, known);
      known.of += of;
      return () => {
        known.done += 1;
        onProgress({ step, ...known });
      };
    },
    onEntries:
      (step: SurveyStep) =>
      ({ entries }: { readonly entries: number }) =>
        onProgress({ step, done: entries, of: null }),
  };
}

/** Reads a list of a region, and applies it. @throws UNTRUSTED_LISTING */
export async function takeList({ survey, pages, signal, onEntries }: Crawl, region: Region, list: Directory) {
  const onPage = list === 'deactivated' ? undefined : onEntries(list);
  await readList(survey.directory(region, list), pages(region), list, '', { signal, onPage });
  survey.take(region, list);
}

/** Whether the list could be trusted, and is applied. */
export async function isListTaken(crawl: Crawl, region: Region, list: Directory) {
  try {
    await takeList(crawl, region, list);
    return true;
  } catch (error) {
    if (isError(error, 'UNTRUSTED_LISTING')) return false;
    throw error;
  }
}

/** Returns the reason why one thing could not be read; throws errors that concern more than it. */
export function whyOfOne(error: unknown) {
  if (!isError(error, 'UNTRUSTED_LISTING') && !(isQuestionRefused(error) && !error.facts.ofRegion)) throw error;
  return error;
}

/** Calls that a whole list takes. Published samples count a total of 0 on pages with entries: such a list has no known length. */
export async function listCalls({ pages, signal }: Crawl, region: Region, list: Directory) {
  const { pagination, entries } = await pages(region).listPage(list, '', 1, { signal });
  const total = pagination?.total ?? 0;
  return total < entries.length ? Number.POSITIVE_INFINITY : Math.ceil(total / MAX_PER_PAGE);
}

/** Reads the whole list of these regions, unless that is done. */
export async function takeLists(crawl: Crawl, regions: readonly Region[], list: Directory) {
  await inRegions(regions, crawl.signal, async (region, signal) => {
    if (crawl.survey.sql('is_list_done').get({ region, list }) === undefined) {
      await takeList({ ...crawl, signal }, region, list);
    }
  });
}

/**
 * Makes sure that this may be spent.
 * @param certainty whether the lengths of the lists are known
 * @throws CALLS_USED_UP
 */
export function pay(
  { left }: Crawl,
  price: ReadonlyMap<Region, number>,
  certainty: 'at most' | 'at least' = 'at most',
) {
  const calls = sumOf(price.values());
  if (calls <= left()) return;
  const byRegion = Object.fromEntries([...price].filter(([, n]) => n > 0));
  throw new RollcallError('CALLS_USED_UP', {
    what: `${certainty} ${counted(calls, 'more call')} ${be(calls)} needed, and ${left()} ${be(left())} allowed`,
    price: byRegion,
  });
}

const be = (n: number) => (n === 1 ? 'is' : 'are');

/**
 * Reads a survey, and continues where an earlier run was interrupted. Returns whether all steps were made: otherwise, it is
 * `priced` when the calls were not allowed, or `stopped` when a region refuses every call or a list cannot be trusted.
 * Rejects with the signal's reason; the survey can continue later.
 * @param asked what the service refuses, in a word
 */
export async function runSurvey(run: SurveyRun, asked: 'asked' | 'read', steps: (crawl: Crawl) => Promise<void>) {
  const { survey, signal } = run;
  survey.move('running');
  try {
    await steps(crawlOf(run));
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isError(error, 'CALLS_USED_UP')) survey.move('priced', error.what, error.facts.price);
    else if (isQuestionRefused(error) && error.facts.ofRegion) survey.move('stopped', stopSentence(error, asked));
    else if (isError(error, 'UNTRUSTED_LISTING')) survey.move('stopped', error.message);
    else throw error;
    return false;
  }
}
