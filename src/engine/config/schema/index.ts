import * as z from 'zod/mini';
import { agents } from './agents.js';
import { flows } from './flows.js';
import { gateway } from './gateway.js';
import { key } from './keys.js';
import { logging } from './logging.js';
import { memory } from './memory.js';
import { models } from './models.js';
import { plugins } from './plugins.js';
import { secrets } from './secrets.js';
import { sessions } from './sessions.js';

/** The whole of `svc.json`. Unknown keys are faults; everything is optional. */
export const configSchema = z.strictObject({
  $schema: key(z.string(), 'JSON Schema of this file, for editors; svc itself does not read it'),
  agents: key(agents(), 'Who has a memory, and how it is searched'),
  models: key(models(), 'Model endpoints'),
  memory: key(memory(), 'Search backend and citations'),
  sessions: key(sessions(), 'Session transcripts'),
  plugins: key(plugins(), 'Features with a switch of their own'),
  gateway: key(gateway(), 'Where the long-lived process listens'),
  flows: key(flows(), 'Durable task flows'),
  secrets: key(secrets(), 'Where secret references get their values'),
  logging: key(logging(), 'Log of the long-lived process'),
});
