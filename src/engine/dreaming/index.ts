/*
 * Imported directly, to load nothing else: dream-targets.js (overview, serve, forget) and dream-store.js
 * (forget). Loaded on demand: narrator.js, schedule/dream-schedule.js, and after a search
 * recall-log/recalled-claims.js.
 */
export { rollBackBackfill, runBackfill } from './backfill.js';
export type * from './claim-output-schemas.js';
export type { ClaimKey } from './claims/claim-words.js';
export {
  findSweep,
  promoteClaim,
  requireClaim,
  setClaimFate,
  undoSweep,
} from './decide-by-hand.js';
export { dreamStatus, isMemoryFull, nextSweepMs } from './dream-status.js';
export { type DreamTarget, dreamTargets } from './dream-targets.js';
export { claimPassage, explainClaim, nextCandidates, recalledClaims } from './explain-claim.js';
export { type Narrator, openNarrator } from './narrator.js';
export * from './output.js';
export type * from './output-schemas.js';
export { handWritten } from './promotion/memory-file.js';
export { MOST_LOG_BYTES } from './recall-log/recall-log.js';
export type { DreamSchedule } from './schedule/dream-schedule.js';
export { crontabLine, systemdTimer } from './schedule/systemd-timer.js';
export type { RecallEntry } from './scoring/recall-entry.js';
export { type OpenDreams, readDreams } from './store/dream-database.js';
export { hasFailed, PHASES, type PhaseName } from './store/sweep-records.js';
export { openSources } from './sweep/dream-sources.js';
export * from './sweep/run-sweep.js';
export { type ManualChangeOptions, withCurrentDreams } from './with-dreams.js';
