/*
 * Runs queued tasks and delivers notifications. Loaded on their own: `open-runner.js` and
 * `delivery/open-delivery.js`.
 */

export type { OpenRunner } from './open-runner.js';
export { missingProgram, namedPrograms } from './runner-settings.js';
