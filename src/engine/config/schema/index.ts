import * as z from 'zod/mini';
import { agents } from './agents.js';
import { flows } from './flows.js';
import { gateway } from './gateway.js';
import { key, section } from './keys.js';
import { logging } from './logging.js';
import { memory } from './memory.js';
import { models } from './models.js';
import { plugins } from './plugins.js';
import { secrets } from './secrets.js';
import { sessions } from './sessions.js';

/** The whole of `svc.json`. Unknown keys are faults; everything is optional. */
export const configSchema = z.strictObject({
  $schema: key(z.string(), 'JSON Schema of this file, for editors; svc itself does not read it'),
  agents: section(agents, 'Who has a memory, and how it is searched'),
  models: section(models, 'Model endpoints'),
  memory: section(memory, 'Search backend and citations'),
  sessions: section(sessions, 'Session transcripts'),
  plugins: section(plugins, 'Features with a switch of their own'),
  gateway: section(gateway, 'Where the long-lived process listens'),
  flows: section(flows, 'Durable task flows'),
  secrets: section(secrets, 'Where secret references get their values'),
  logging: section(logging, 'Log of the long-lived process'),
});
