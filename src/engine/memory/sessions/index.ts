/* The conversations of an agent, one by one: those it still has, archived and imported ones. */

export {
  archivedTitles,
  archiveOf,
  findSessions,
  readSession,
  sessionMarkdown,
  sessionWithId,
} from './find-sessions.js';
export { archiveStore, planForgetSession } from './forget-session.js';
export type { SessionListOutput, SessionOutput } from './output-schemas.js';
