import * as z from 'zod/mini';
import { key, text } from './keys.js';

/** `logging` of the long-lived process (configuration reference). */
export function logging() {
  return z.strictObject({
    level: key(
      z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      'Least severe level that is logged',
    ),
    format: key(
      z.enum(['auto', 'json', 'pretty']),
      'How lines on stderr look; `auto` is `pretty` on a terminal and `json` elsewhere. Files are JSON',
    ),
    file: key(
      text(),
      'File that the log is appended to, instead of stderr and `logs/serve.log` in the state folder',
    ),
  });
}
