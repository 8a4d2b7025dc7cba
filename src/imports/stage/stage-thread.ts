import { serve, tellOpener } from '../../platform/threads.ts';
import { type StageThread, type StagingNote, type StagingProgress, stageFile } from './stage-file.ts';

/** Time between two notes of progress, in ms: one for each chunk would keep both threads busy. */
const PROGRESS_MS = 50;
/** The same for the note that it moves. */
const MOVES_MS = 5_000;

const tell = (note: StagingNote) => tellOpener(note);

serve<StageThread>({
  stage: async (task, signal) => {
    let told = 0;
    const progress = (made: StagingProgress) => {
      if (!made.cutting && performance.now() < told + PROGRESS_MS) return;
      told = performance.now();
      tell(made);
    };
    let moved = 0;
    const onRead = () => {
      if (performance.now() < moved + MOVES_MS) return;
      moved = performance.now();
      tell('moves');
    };
    return stageFile({ ...task, signal }, progress, onRead);
  },
});
