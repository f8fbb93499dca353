/* The conversations of an agent, one by one: those it still has, archived and imported ones. */

export { sessionMarkdown } from './export-session.js';
export {
  archivedTitles,
  archiveOf,
  findSessions,
  readSession,
  sessionWithId,
} from './find-sessions.js';
export { archiveStore, planForgetSession } from './forget-session.js';
export type { SessionListOutput, SessionOutput } from './output-schemas.js';
