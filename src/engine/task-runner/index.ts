/*
 * Runs queued tasks and delivers notifications. Loaded on their own: `task-runner.js` and
 * `delivery/open-delivery.js`.
 */

export { missingProgram, namedPrograms } from './runner-settings.js';
export type { OpenRunner } from './task-runner.js';
