/**
 * Milliseconds since this process began, by a clock that never jumps. `performance.now()` says the same, and
 * its first use makes Node.js load what costs a short command a tenth of its start.
 */
export function runningMs(): number {
  return process.uptime() * 1000;
}
