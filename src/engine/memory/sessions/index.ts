/* The conversations of an agent, one by one: those it still has, archived and imported ones. */

export { sessionMarkdown } from './export-session.js';
export {
  archivedTitles,
  archiveOf,
  type FoundSession,
  findSessions,
  readSession,
  sessionWithId,
} from './find-sessions.js';
export { archiveStore, planForgetSession } from './forget-session.js';
export type { SessionEntry, SessionListOutput, SessionOutput } from './output-schemas.js';
